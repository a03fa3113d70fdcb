// --exit-when-done: ends the process well when every block up to the end is stored or skipped, by whomever.

import { contains, union } from "../domain/range-set.js"
import type { Clock } from "../platform/clock.js"
import type { Logger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import { parseMultirange } from "../postgres/multirange.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import { rawIngester } from "../raw/raw-tables.js"

export class CompletionWatch extends LoopingService {
  private readonly database: Queryable
  private readonly endBlock: number
  private readonly onDone: () => void

  constructor(options: {
    database: Queryable
    endBlock: number
    clock: Clock
    logger: Logger
    onDone: () => void
  }) {
    super({ name: "completion-watch", clock: options.clock, logger: options.logger, intervalMs: 100 })
    this.database = options.database
    this.endBlock = options.endBlock
    this.onDone = options.onDone
  }

  async runOnce(): Promise<undefined> {
    const { rows } = await this.database.query<{ start_height: string; heights: string; skipped: string }>(
      `select start_height, heights::text as heights, skipped::text as skipped
       from raw.chain_state cross join raw.coverage where worker_type = $1`,
      [rawIngester],
    )
    const [row] = rows
    if (!row) return undefined
    const wanted = { from: heightFrom(row.start_height), to: this.endBlock + 1 }
    const done = union(parseMultirange(row.heights), parseMultirange(row.skipped))
    if (wanted.from >= wanted.to || contains(done, wanted)) this.onDone()
    return undefined
  }
}
