// Creates the partitions of a range before it is written. Remembers which exist, since most ranges lie in one that
// does.

import type { SqlConnection } from "../postgres/sql-connection.js"
import { type EnsurePartitionsOptions, ensurePartitions } from "./ensure-partitions.js"
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

  async ensure(connection: SqlConnection, options: Omit<EnsurePartitionsOptions, "tables">): Promise<void> {
    const slot = Math.floor(options.range.from / this.rangeSize)
    if (this.seen.has(slot)) return
    await ensurePartitions(connection, { tables: this.tables, ...options })
    if (this.seen.size > remembered) this.seen.clear()
    this.seen.add(slot)
  }
}
