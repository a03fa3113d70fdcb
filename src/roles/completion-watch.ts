// --exit-when-done: ends the process well when every block up to the end is stored or skipped, and derived, by
// whomever.

import { rawIngester } from "../coordination/raw-ingester.js"
import type { BlockRange } from "../domain/block-range.js"
import { contains, union } from "../domain/range-set.js"
import type { Clock } from "../platform/clock.js"
import type { Logger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import { parseMultirange } from "../postgres/multirange.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"

export class CompletionWatch extends LoopingService {
  private readonly database: Queryable
  private readonly app: Queryable
  private readonly derived: readonly string[]
  private readonly endBlock: number
  private readonly onDone: () => void

  constructor(options: {
    database: Queryable
    app: Queryable
    /** Workers that have to be done too. */
    derived: readonly string[]
    endBlock: number
    clock: Clock
    logger: Logger
    onDone: () => void
  }) {
    super({ name: "completion-watch", clock: options.clock, logger: options.logger, intervalMs: 100 })
    this.database = options.database
    this.app = options.app
    this.derived = options.derived
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
    if (wanted.from >= wanted.to || (contains(done, wanted) && (await this.isDerived(wanted)))) this.onDone()
    return undefined
  }

  private async isDerived(wanted: BlockRange): Promise<boolean> {
    if (this.derived.length === 0) return true
    const { rows } = await this.app.query<{ done: boolean }>(
      `select heights + skipped @> int8range($2::int8, $3::int8) as done from app.coverage where worker_type = any ($1)`,
      [this.derived, wanted.from, wanted.to],
    )
    return rows.length === this.derived.length && rows.every(({ done }) => done)
  }
}
