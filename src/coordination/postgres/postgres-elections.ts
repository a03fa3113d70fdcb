// Elections by advisory lock.

import type { Elections, HeadElection } from "../elections.js"
import { electionLock, winElection } from "./locks.js"

export const postgresElections: Elections = {
  win: winElection,

  async winHead(tx, { holder, patienceMs }) {
    const { rows } = await tx.query<HeadElection & Record<string, unknown>>(
      `select case
         when (select followed_by <> $3 and followed_at > clock_timestamp() - $4::int4 * interval '1 ms'
           from raw.chain_state)
         then false else pg_try_advisory_xact_lock($1, $2) end as mine,
         (select followed_by = $3 from raw.chain_state) as kept`,
      [...electionLock("head-follower"), holder.id, patienceMs],
    )
    return rows[0]!
  },
}
