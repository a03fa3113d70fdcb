// The chain's record on Postgres, in raw.

import { IndexerError } from "../../platform/errors.js"
import { heightFrom } from "../../postgres/postgres-error.js"
import type { ChainRecord } from "../chain-record.js"
import { rawIngester } from "../raw-ingester.js"

export const postgresChainRecord: ChainRecord = {
  // Does not wait for the disk: decisions based on it come later in the same log, so it is never lost alone.
  async recordHead(sql, { head, finalizedHeight, holder }) {
    const { rows } = await sql.query<{ finalized_height: string }>(
      `update raw.chain_state set
       head_height = $1, head_hash = $2, head_seen_at = clock_timestamp(),
       followed_by = $4, follower_name = $6, followed_at = clock_timestamp(),
       finalized_height = case
         when finalized_height is null
           or not exists (select 1 from raw.coverage
             where worker_type = $5 and heights && int8multirange(int8range(chain_state.finalized_height + 1, null)))
           or exists (select 1 from raw.coverage cross join raw.blocks as block
             where block.height = $1::int8 and block.hash = $2 and worker_type = $5
               and heights + skipped @> int8range(least(chain_state.finalized_height, $1::int8), $1::int8 + 1))
         then greatest(finalized_height, $3::int8) else finalized_height end,
       live_from = coalesce(live_from, greatest($3::int8, start_height))
     returning finalized_height, set_config('synchronous_commit', 'off', true)`,
      [head.height, Buffer.from(head.hash.slice(2), "hex"), finalizedHeight, holder.id, rawIngester, holder.name],
    )
    return heightFrom(rows[0]!.finalized_height)
  },

  async recordFinality(sql, { finalizedHeight, holder }) {
    await sql.query(
      `update raw.chain_state set finalized_height = greatest(finalized_height, $1::int8)
       where intent_id is null and followed_by = $2`,
      [finalizedHeight, holder.id],
    )
  },

  async keepHeadPost(sql, holder) {
    const { rows } = await sql.query(
      "update raw.chain_state set followed_at = clock_timestamp() where followed_by = $1 returning 1 as kept",
      [holder.id],
    )
    return rows.length > 0
  },

  async takeHeadPost(sql, holder) {
    await sql.query(
      "update raw.chain_state set followed_by = $1, follower_name = $2, followed_at = clock_timestamp()",
      [holder.id, holder.name],
    )
  },

  async assertHeadPost(tx, holder) {
    const { rows } = await tx.query<{ mine: boolean }>(
      "select followed_by = $1 as mine from raw.chain_state for share",
      [holder.id],
    )
    if (!rows[0]?.mine)
      throw new IndexerError("POST_LOST", "another process follows the head now and stores its blocks")
  },

  async halt(sql, { reason, height }) {
    await sql.query(
      `update raw.chain_state
       set halted_at = coalesce(halted_at, clock_timestamp()), halt_reason = $1, halt_height = $2`,
      [reason, height],
    )
  },

  async resume(sql) {
    const { rows } = await sql.query(
      `update raw.chain_state set halted_at = null, halt_reason = null, halt_height = null
       where halted_at is not null returning 1 as resumed`,
    )
    return rows.length > 0
  },
}
