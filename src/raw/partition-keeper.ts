// Keeps the partition of the head and the next two ready, so that no block at the tip waits for DDL.

import { ensurePartitions } from "../partitions/ensure-partitions.js"
import type { PartitionedTable } from "../partitions/partitioned-table.js"
import { LoopingService, type LoopOptions } from "../platform/looping-service.js"
import type { Database } from "../postgres/database.js"
import { readChainState } from "./chain-state.js"

export interface PartitionKeeperOptions extends Omit<LoopOptions, "name"> {
  readonly database: Database
  /** The raw database, where it is not the same one. */
  readonly state?: Database
  readonly tables: readonly PartitionedTable[]
}

const partitionsAhead = 2

export class PartitionKeeper extends LoopingService {
  constructor(private readonly options: PartitionKeeperOptions) {
    super({ ...options, name: "partition-keeper" })
  }

  async runOnce(): Promise<undefined> {
    const { database, state: raw = database, tables } = this.options
    const state = await readChainState(raw)
    if (!state) return undefined
    const head = state.headHeight ?? state.startHeight
    for (const table of tables) {
      const range = { from: head, to: head + partitionsAhead * table.blocksPerPartition + 1 }
      const partitions = await ensurePartitions(database, { tables: [table], range })
      if (partitions.length > 0) this.logger.info({ partitions }, "partitions created")
    }
  }
}
