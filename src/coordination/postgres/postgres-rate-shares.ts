// Shares of a limit on Postgres, in raw. The lock makes what is held and what is asked for one decision.

import { takeLock } from "../../postgres/advisory-lock.js"
import type { Database } from "../../postgres/database.js"
import type { RateShares } from "../rate-shares.js"

const lock = 22

export function postgresRateShares(raw: Pick<Database, "query" | "transaction">): RateShares {
  return {
    async others(processId) {
      const { rows } = await raw.query<{ calls_per_second: number; wanted: number }>(
        `select calls_per_second, wanted from raw.rate_shares
         where process_id <> $1 and expires_at > clock_timestamp()`,
        [processId],
      )
      return rows.map((row) => ({ callsPerSecond: row.calls_per_second, wanted: row.wanted }))
    },

    hold({ processId, limit, callsPerSecond, wanted, leaseMs }) {
      return raw.transaction(async (tx) => {
        await takeLock(tx, lock)
        await tx.query("delete from raw.rate_shares where expires_at <= clock_timestamp()")
        const { rows } = await tx.query<{ calls_per_second: number }>(
          `insert into raw.rate_shares (process_id, calls_per_second, wanted, expires_at)
           select $1, greatest(0, least($2::float8, $3::float8 - coalesce(sum(calls_per_second), 0))), $4,
             clock_timestamp() + $5 * interval '1 millisecond'
           from raw.rate_shares where process_id <> $1
           on conflict (process_id) do update set calls_per_second = excluded.calls_per_second,
             wanted = excluded.wanted, expires_at = excluded.expires_at
           returning calls_per_second`,
          [processId, callsPerSecond, limit, wanted, leaseMs],
        )
        return rows[0]!.calls_per_second
      })
    },

    async giveBack(processId) {
      await raw.query("delete from raw.rate_shares where process_id = $1", [processId])
    },
  }
}
