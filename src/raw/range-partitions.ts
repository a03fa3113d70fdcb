// Makes the partitions of a range before it is written, and remembers which are there: most ranges lie in one that is.

import type { BlockRange } from "../domain/block-range.js"
import type { SqlConnection } from "../postgres/sql-connection.js"
import { ensurePartitions } from "./ensure-partitions.js"
import type { PartitionedTable } from "./partitioned-table.js"

const remembered = 10_000

export class RangePartitions {
  private readonly tables: readonly PartitionedTable[]
  private readonly rangeSize: number
  private readonly seen = new Set<number>()

  constructor({ tables, rangeSize }: { tables: readonly PartitionedTable[]; rangeSize: number }) {
    this.tables = tables
    this.rangeSize = rangeSize
  }

  async ensure(
    connection: SqlConnection,
    options: { readonly range: BlockRange; readonly deferIndexesBelow?: number },
  ): Promise<void> {
    const slot = Math.floor(options.range.from / this.rangeSize)
    if (this.seen.has(slot)) return
    await ensurePartitions(connection, { tables: this.tables, ...options })
    if (this.seen.size > remembered) this.seen.clear()
    this.seen.add(slot)
  }
}
