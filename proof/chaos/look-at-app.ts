// One look at an app database: how far each worker is, what app takes for stored, and some of the rows that must be there.

import pg from "pg"
import { type CoverageText, lastHeight, prefixEnd } from "../../test/support/prefix-end.js"
import type { StoreProbe } from "../../test/support/store-probe.js"
import { expiredSql, type Rollbacks, rollbacksSql, type Transactions, windowBlocks } from "./look-sql.js"

/** The one whose rows are counted: there is one for each transaction. */
const countedWorker = "evm_worker"

interface AppRow extends Rollbacks {
  readonly epoch: number
  readonly start: number
  readonly now: number
  readonly coverage: Readonly<Record<string, CoverageText & { readonly checkpoint: number | null }>> | null
  /** What app takes for stored by raw, a multirange as text. */
  readonly copy: string | null
  /** Workers that cover more than that. */
  readonly ahead: readonly string[]
  readonly expired: readonly string[]
  /** How often a person took back what was done, and when last. */
  readonly acts: number
  readonly acted_at: number | null
  readonly rows?: (Transactions & { readonly from: number; readonly to: number }) | null
}

export interface AppLook extends Omit<AppRow, "coverage"> {
  /** Exclusive, by worker. */
  readonly watermarks: ReadonlyMap<string, number>
  /** Checkpoints that are not where coverage says. */
  readonly wrongCheckpoints: readonly string[]
}

/** Undefined until the chain was pinned. `last` is the look before. */
export async function lookAtApp(probe: StoreProbe, last: AppLook | undefined): Promise<AppLook | undefined> {
  // The table comes with the worker's coverage, in one transaction, and goes with it when a person has all derived anew.
  if (!last?.watermarks.has(countedWorker)) return look(probe, { last, withRows: false })
  try {
    return await look(probe, { last, withRows: true })
  } catch (error) {
    const now = isTableGone(error) ? await look(probe, { last, withRows: false }) : undefined
    if (!now || now.watermarks.has(countedWorker)) throw error
    return now
  }
}

const isTableGone = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === "42P01"

async function look(
  probe: StoreProbe,
  { last, withRows }: { last: AppLook | undefined; withRows: boolean },
): Promise<AppLook | undefined> {
  const [row] = await probe.rows<AppRow>(appSql(withRows), [
    last?.rolled_at ?? null,
    ...(withRows ? [windowBlocks] : []),
  ])
  if (!row) return undefined
  const coverage = Object.entries(row.coverage ?? {})
  const workers = coverage.filter(([worker]) => worker !== "raw_ingester")
  return {
    ...row,
    watermarks: new Map(workers.map(([worker, one]) => [worker, prefixEnd(one, row.start)])),
    wrongCheckpoints: coverage
      .filter(([, one]) => one.checkpoint !== lastHeight(one, row.start))
      .map(([worker, one]) => `app's of ${worker} is ${one.checkpoint}, at ${one.heights} + ${one.skipped}`),
  }
}

const rowsSql = `,
  (with part as (
     select part from app.coverage, unnest(heights) as part where worker_type = '${countedWorker}' order by random() limit 1),
   low as (
     select upper(part) as ends,
       lower(part) + floor(random() * greatest(1, upper(part) - lower(part) - $2::int8 + 1))::int8 as low from part),
   looked_at as (select low, least(ends, low + $2::int8) as high from low)
   select json_build_object('from', low, 'to', high, 'count', count(row.block_height),
     'ids', md5(string_agg(row.transaction_id, ''::bytea order by row.block_height, row.transaction_index)))
   from looked_at left join app.evm_transactions as row on row.block_height >= low and row.block_height < high
   group by low, high) as rows`

const appSql = (withRows: boolean): string => `
  select chain_epoch::float8 as epoch, start_height::float8 as start, ${rollbacksSql("app", "$1")},
    extract(epoch from clock_timestamp())::float8 * 1000 as now,
    (select json_object_agg(worker_type, json_build_object(
       'heights', heights::text, 'skipped', skipped::text, 'checkpoint', last_height))
     from app.coverage left join app.indexing_checkpoints on worker_name = worker_type) as coverage,
    (select (heights + skipped)::text from app.coverage where worker_type = 'raw_ingester') as copy,
    array(select worker_type from app.coverage where worker_type <> 'raw_ingester'
      and not heights <@ (select heights from app.coverage where worker_type = 'raw_ingester')) as ahead,
    ${expiredSql("app")} as expired,
    count(acts.id)::int4 as acts, extract(epoch from max(acts.at))::float8 * 1000 as acted_at${withRows ? rowsSql : ""}
  from app.chain_state left join app.audit_log as acts on acts.action in ('repair', 'retry', 'rederive')
  group by chain_epoch, start_height`
