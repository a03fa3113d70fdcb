// Creates the partitions of a range before it is written. Remembers which exist, since most ranges lie in one that
// does.

import type { SqlConnection } from "../postgres/sql-connection.js"
import { type EnsurePartitionsOptions, ensurePartitions } from "./ensure-partitions.js"
import type { PartitionedTable } from "./partitioned-table.js"

const remembered = 10_000

export class RangePartitions {
  private readonly seen = new Set<string>()

  constructor(private readonly tables: readonly PartitionedTable[]) {}

  async ensure(connection: SqlConnection, options: Omit<EnsurePartitionsOptions, "tables">): Promise<void> {
    const needed = this.tables.flatMap((table) => partitionsOf(table, options.range))
    if (needed.every((one) => this.seen.has(one))) return
    await ensurePartitions(connection, { tables: this.tables, ...options })
    if (this.seen.size > remembered) this.seen.clear()
    for (const one of needed) this.seen.add(one)
  }
}

function partitionsOf({ table, blocksPerPartition }: PartitionedTable, { from, to }: { from: number; to: number }) {
  const first = Math.floor(from / blocksPerPartition)
  const last = Math.floor((to - 1) / blocksPerPartition)
  return Array.from({ length: last - first + 1 }, (_, index) => `${table} ${first + index}`)
}
