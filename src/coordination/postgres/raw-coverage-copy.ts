// App's copy of raw's coverage. It grows as a union, under the shared chain lock and only while both are at one epoch:
// otherwise it would overwrite a rollback in between.

import { parseMultirange, printMultirange } from "../../postgres/multirange.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { RawCoverageCopy } from "../coverage-ledger.js"
import { rawIngester } from "../raw-ingester.js"
import { lockChain } from "./locks.js"

interface RawCoverage {
  chain_epoch: string
  heights: string
  skipped: string
}

export const rawCoverageCopy: RawCoverageCopy = {
  async copyRawCoverage({ raw, app }) {
    const {
      rows: [seen],
    } = await raw.query<RawCoverage>(
      `select chain_state.chain_epoch, coverage.heights::text as heights, coverage.skipped::text as skipped
       from raw.chain_state cross join raw.coverage where coverage.worker_type = $1`,
      [rawIngester],
    )
    if (!seen) return undefined
    const end = parseMultirange(seen.heights).at(-1)?.to ?? 0
    // Read each time: a restored database loses what was copied, but not always the connection or the epoch.
    if (await hasAllOf(app, seen)) return end
    return app.transaction(
      async (tx) => {
        await lockChain(tx, "shared")
        const {
          rows: [state],
        } = await tx.query<{ chain_epoch: string }>("select chain_epoch from app.chain_state")
        if (state?.chain_epoch !== seen.chain_epoch) return undefined
        await tx.query(
          `update app.coverage
           set heights = heights + $2::int8multirange, skipped = (skipped + $3::int8multirange) - $2::int8multirange,
               updated_at = clock_timestamp()
           where worker_type = $1`,
          [rawIngester, seen.heights, seen.skipped],
        )
        return end
      },
      // What is lost with the server is copied again. It waits on the connection that status needs too.
      { lockTimeoutMs: 1_000, idleInTransactionTimeoutMs: 10_000, unflushed: true },
    )
  },

  async replaceCopy(tx, { heights, skipped }) {
    await tx.query("update app.coverage set heights = $2, skipped = $3 where worker_type = $1", [
      rawIngester,
      printMultirange(heights),
      printMultirange(skipped),
    ])
  },
}

async function hasAllOf(app: Queryable, { heights, skipped }: RawCoverage): Promise<boolean> {
  const { rows } = await app.query(
    `select 1 as copied from app.coverage
     where worker_type = $1 and heights @> $2::int8multirange and skipped @> $3::int8multirange`,
    [rawIngester, heights, skipped],
  )
  return rows.length > 0
}
