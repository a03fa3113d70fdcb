// Keeps the partition of the head and the next two ready, so that no block at the tip waits for DDL.

import type { Clock } from "../platform/clock.js"
import type { Logger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import type { Database } from "../postgres/database.js"
import { readChainState } from "./chain-state.js"
import { ensurePartitions } from "./ensure-partitions.js"
import type { PartitionedTable } from "./partitioned-table.js"

const partitionsAhead = 2

export class PartitionKeeper extends LoopingService {
  private readonly database: Database
  private readonly state: Database
  private readonly tables: readonly PartitionedTable[]

  constructor(options: {
    database: Database
    /** Where the chain's state is, if elsewhere: the raw database. */
    state?: Database
    tables: readonly PartitionedTable[]
    clock: Clock
    logger: Logger
    intervalMs: number
  }) {
    super({ name: "partition-keeper", ...options })
    this.database = options.database
    this.state = options.state ?? options.database
    this.tables = options.tables
  }

  async runOnce(): Promise<undefined> {
    const state = await readChainState(this.state)
    if (!state) return undefined
    const head = state.headHeight ?? state.startHeight
    for (const table of this.tables) {
      const range = { from: head, to: head + partitionsAhead * table.blocksPerPartition + 1 }
      const made = await ensurePartitions(this.database, { tables: [table], range })
      if (made.length > 0) this.logger.info({ partitions: made }, "partitions made")
    }
    return undefined
  }
}
