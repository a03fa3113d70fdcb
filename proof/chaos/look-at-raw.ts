// One look at a raw store: how far it is, and whether it has what it says, what app takes for stored and what workers derived from.

import { type CoverageText, lastHeight, prefixEnd } from "../../test/support/prefix-end.js"
import type { StoreProbe } from "../../test/support/store-probe.js"
import type { AppLook } from "./look-at-app.js"
import { expiredSql, type Rollbacks, rollbacksSql, type Transactions, windowBlocks } from "./look-sql.js"

interface RawRow extends Rollbacks, CoverageText {
  readonly epoch: number
  readonly start: number
  readonly checkpoint: number | null
  /** Of some blocks below the watermark. */
  readonly missing: number
  /** Each lease that is over and still held. */
  readonly expired: readonly string[]
  /** Where processes that were heard of lately answer. */
  readonly answering: readonly string[]
  /** Heights that app takes for stored and that are not. */
  readonly unknown: string | null
  /** Those of the blocks whose rows were looked at in app. */
  readonly transactions: Transactions
}

export interface RawLook extends RawRow {
  /** Exclusive. */
  readonly watermark: number
  /** Checkpoints that are not where coverage says. */
  readonly wrongCheckpoints: readonly string[]
}

/** Undefined until the chain was pinned. `last` is the look before, `app` one that was taken just now. */
export async function lookAtRaw(
  probe: StoreProbe,
  { last, app }: { last: RawLook | undefined; app: AppLook },
): Promise<RawLook | undefined> {
  const [row] = await probe.rows<RawRow>(rawSql, [
    windowBlocks,
    ...[last?.rolled_at ?? null, app.copy, app.rows?.from ?? null, app.rows?.to ?? null],
  ])
  if (!row) return undefined
  const wrong = row.checkpoint !== lastHeight(row, row.start)
  return {
    ...row,
    watermark: prefixEnd(row, row.start),
    wrongCheckpoints: wrong ? [`raw's is ${row.checkpoint}, at ${row.heights} + ${row.skipped}`] : [],
  }
}

const rawSql = `
  with store as (
    select chain_epoch, start_height, coalesce(heights, '{}') as heights, coalesce(skipped, '{}') as skipped, last_height
    from raw.chain_state left join raw.coverage on worker_type = 'raw_ingester'
    left join raw.indexing_checkpoints on worker_name = worker_type
  ),
  prefix as (
    select *, coalesce((select upper(part) from unnest(heights + skipped) as part where part @> start_height), start_height) as ends
    from store
  ),
  low as (
    select *, start_height + floor(random() * greatest(1, ends - start_height - $1::int8 + 1))::int8 as low from prefix
  ),
  looked_at as (select *, least(ends, low + $1::int8) as high from low)
  select chain_epoch::float8 as epoch, start_height::float8 as start, heights::text as heights, skipped::text as skipped,
    last_height::float8 as checkpoint, ${rollbacksSql("raw", "$2")}, ${expiredSql("raw")} as expired,
    array(select http_url from raw.processes where seen_at > clock_timestamp() - interval '10 s' and http_url is not null order by id) as answering,
    (high - low - (select count(*) from raw.blocks where height >= low and height < high)
      - (select coalesce(sum(upper(part) - lower(part)), 0) from unnest(skipped * int8multirange(int8range(low, high))) as part))::int4 as missing,
    ($3::int8multirange - (heights + skipped))::text as unknown,
    json_build_object(
      'count', (select coalesce(sum(transaction_count), 0) from raw.blocks where height >= $4::int8 and height < $5::int8),
      'ids', (select md5(string_agg(id, ''::bytea order by block_height, transaction_index))
        from raw.transactions where block_height >= $4::int8 and block_height < $5::int8)) as transactions
  from looked_at`
