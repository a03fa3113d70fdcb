// Tells the app database what raw covers: a hint for claims, never larger than the truth. It grows as a union, under the
// chain's shared lock and only while both are at one epoch: a rollback in between would otherwise be written over.

import { chainLock } from "../coordination/postgres/coordination-tables.js"
import type { SqlExecutor } from "../postgres/sql-executor.js"
import type { Queryable } from "../postgres/transaction.js"
import { rawIngester } from "../raw/raw-ingester.js"

interface RawCoverage {
  chain_epoch: string
  heights: string
  skipped: string
}

export class RawCoverageCopier {
  private readonly raw: Queryable
  private readonly app: () => Promise<SqlExecutor<Queryable>>

  /** `app` gives the connection to use, another one when that is lost. */
  constructor({ raw, app }: { raw: Queryable; app: () => Promise<SqlExecutor<Queryable>> }) {
    this.raw = raw
    this.app = app
  }

  /** True when the copy is as large as raw's coverage was just now. */
  async copy(): Promise<boolean> {
    const {
      rows: [seen],
    } = await this.raw.query<RawCoverage>(
      `select chain_state.chain_epoch, coverage.heights::text as heights, coverage.skipped::text as skipped
       from raw.chain_state cross join raw.coverage where coverage.worker_type = $1`,
      [rawIngester],
    )
    if (!seen) return false
    const app = await this.app()
    // Asked and not remembered: a database that went back loses what was copied, and not always the connection or the epoch it was copied at.
    if (await hasAllOf(app, seen)) return true
    return app.transaction(
      async (tx) => {
        await tx.query("select pg_advisory_xact_lock_shared($1, $2)", [...chainLock])
        const {
          rows: [state],
        } = await tx.query<{ chain_epoch: string }>("select chain_epoch from app.chain_state")
        if (state?.chain_epoch !== seen.chain_epoch) return false
        await tx.query(
          `update app.coverage
           set heights = heights + $2::int8multirange, skipped = (skipped + $3::int8multirange) - $2::int8multirange,
               updated_at = clock_timestamp()
           where worker_type = $1`,
          [rawIngester, seen.heights, seen.skipped],
        )
        return true
      },
      // What is lost with the server is copied again.
      { lockTimeoutMs: 5_000, idleInTransactionTimeoutMs: 10_000, unflushed: true },
    )
  }
}

async function hasAllOf(app: Queryable, { heights, skipped }: RawCoverage): Promise<boolean> {
  const { rows } = await app.query(
    `select 1 as copied from app.coverage
     where worker_type = $1 and heights @> $2::int8multirange and skipped @> $3::int8multirange`,
    [rawIngester, heights, skipped],
  )
  return rows.length > 0
}
