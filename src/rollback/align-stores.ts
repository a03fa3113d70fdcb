// Brings two databases back to agreement when one of them went back: restored from a backup, or failed over with a loss. What raw knows is
// replayed in an app database that fell behind; what a raw database forgot is taken back in app, before raw stores anything.

import { chainLock, coordinationTables } from "../coordination/postgres/coordination-tables.js"
import { lockClaims } from "../coordination/postgres/lock-claims.js"
import type { BlockRange } from "../domain/block-range.js"
import { intersect, type RangeSet, rangeSet, subtract, union } from "../domain/range-set.js"
import { parseMultirange, parseRange, printMultirange, printRange } from "../postgres/multirange.js"
import type { Queryable } from "../postgres/transaction.js"
import { rawIngester } from "../raw/raw-ingester.js"
import { readStoredRegistry } from "../workers/postgres/stored-registry.js"
import { undoHeights } from "../workers/postgres/undo-heights.js"
import { finishRollback, type RollbackDeps } from "./finish-rollback.js"
import { rollbackLimits } from "./rollback-app.js"

/** agreed: nothing to do. busy: a rollback is under way or came between; look again. */
export type Alignment = "agreed" | "busy" | "app-went-back" | "raw-went-back"

interface KnownRollback {
  readonly id: string
  readonly epoch: number
  readonly removed: BlockRange
  readonly reason: string | null
}

interface StoreState {
  readonly epoch: number
  /** When the server was started: another time is another server, or one that may have lost what it had. */
  readonly server: string
  readonly open: boolean
  readonly heights: RangeSet
  readonly skipped: RangeSet
  readonly rollbacks: readonly KnownRollback[]
}

export async function alignStores<Tx extends Queryable>(deps: RollbackDeps<Tx>): Promise<Alignment> {
  // All that is asked for every second: the list of rollbacks is never cut, and would be read in vain.
  if (await agreesAtSight(deps)) return "agreed"
  const server = await readServer(deps.raw)
  // App first: raw only grows meanwhile, so a copy that is too large here is too large in truth.
  const app = await readState(deps.app, "app")
  const raw = await readState(deps.raw, "raw")
  if (!app || !raw || raw.open) return "busy"
  const unknownToRaw = app.rollbacks.filter(({ id }) => !raw.rollbacks.some((known) => known.id === id))
  const unknownToApp = raw.rollbacks.filter(({ id }) => !app.rollbacks.some((known) => known.id === id))
  const forgotten = subtract(union(app.heights, app.skipped), union(raw.heights, raw.skipped))
  if (unknownToRaw.length > 0 || (forgotten.length > 0 && unknownToApp.length === 0)) {
    const lost = [...forgotten, ...[...unknownToRaw, ...unknownToApp].map(({ removed }) => removed)]
    const from = Math.min(...lost.map((range) => range.from))
    return (await takeBackInApp(deps, { app, raw, unknownToRaw, from })) ? "raw-went-back" : "busy"
  }
  if (unknownToApp.length === 0 && app.epoch >= raw.epoch) {
    // A failover in between: app was read while raw still had what it has lost now.
    if (raw.server !== server) return "busy"
    await recordComparison(deps.raw, server)
    return "agreed"
  }
  await replayInApp(deps, raw)
  return "app-went-back"
}

/**
 * On a server that was compared before: as many rollbacks on both sides, the last one the same, and no copy beyond what raw has. A database that went back knows a
 * beginning of what it knew, so one that lacks any of them has fewer.
 */
async function agreesAtSight<Tx extends Queryable>({ app, raw }: RollbackDeps<Tx>): Promise<boolean> {
  const look = async (sql: Queryable, schema: "raw" | "app"): Promise<Sight | undefined> =>
    (
      await sql.query<Sight>(
        `select state.chain_epoch,
           ${schema === "raw" ? "state.intent_id is null and state.compared_server = pg_postmaster_start_time()" : "true"} as settled,
           (coverage.heights + coverage.skipped)::text as done, (select count(*) from ${schema}.rollbacks) as rollbacks,
           (select id from ${schema}.rollbacks order by epoch desc, id limit 1) as last
         from ${schema}.chain_state as state join ${schema}.coverage as coverage on coverage.worker_type = $1`,
        [rawIngester],
      )
    ).rows[0]
  // App first, as below.
  const [seen, stored] = [await look(app, "app"), await look(raw, "raw")]
  if (!seen || !stored?.settled) return false
  return (
    BigInt(seen.chain_epoch) >= BigInt(stored.chain_epoch) &&
    seen.rollbacks === stored.rollbacks &&
    seen.last === stored.last &&
    subtract(parseMultirange(seen.done), parseMultirange(stored.done)).length === 0
  )
}

interface Sight {
  chain_epoch: string
  /** No rollback is open, and the server was compared. */
  settled: boolean | null
  done: string
  rollbacks: string
  last: string | null
}

/** From now on raw may store on this server. Nothing happens where it is another one by now. */
async function recordComparison(raw: Queryable, server: string): Promise<void> {
  await raw.query(
    `update raw.chain_state set compared_server = $1::timestamptz
     where compared_server is distinct from $1::timestamptz and pg_postmaster_start_time() = $1::timestamptz`,
    [server],
  )
}

async function readServer(raw: Queryable): Promise<string> {
  const { rows } = await raw.query<{ server: string }>("select pg_postmaster_start_time()::text as server")
  return rows[0]!.server
}

/** An intent with an id and an epoch that neither side has ever had; its first step lowers the copy as well. */
async function takeBackInApp<Tx extends Queryable>(
  deps: RollbackDeps<Tx>,
  {
    app,
    raw,
    unknownToRaw,
    from,
  }: {
    app: StoreState
    raw: StoreState
    unknownToRaw: StoreState["rollbacks"]
    from: number
  },
): Promise<boolean> {
  const epoch = Math.max(app.epoch, raw.epoch) + 1
  const reason = `the raw database went back: it lacks blocks or rollbacks that app knows, from block ${from} on`
  const isOpened = await deps.raw.transaction(async (tx) => {
    const { rows } = await tx.query(
      `update raw.chain_state
       set intent_id = $1, intent_epoch = $2, intent_removed = int8range($3::int8, null), intent_ancestor_hash = null,
           intent_reason = $5
       where intent_id is null and chain_epoch = $4
       returning 1 as opened`,
      [deps.random.uuid(), epoch, from, raw.epoch, reason],
    )
    if (rows.length === 0) return false
    // What raw forgot it knows again, else it would be found missing for ever.
    for (const rollback of unknownToRaw) await insertRollback(tx, "raw", rollback)
    return true
  }, rollbackLimits)
  if (isOpened) await finishRollback(deps)
  return isOpened
}

/** Oldest first every rollback that app lacks; then whatever raw does not cover; then raw's epoch. */
async function replayInApp<Tx extends Queryable>(
  { app, raw, random, family }: RollbackDeps<Tx>,
  seen: StoreState,
): Promise<void> {
  const tables = coordinationTables("app")
  await app.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock($1, $2)", [...chainLock])
    const own = await readState(tx, "app")
    const { heights, skipped } = (await readState(raw, "raw")) ?? seen
    const registry = await readStoredRegistry(tx)
    const workers = registry.workers.map(({ name }) => name)
    // A claim that came meanwhile would see the old coverage, and no epoch need tell it from the truth: app may have gone through a later rollback before it was found to lack this one.
    await lockClaims(tables, tx, workers)
    const missing = seen.rollbacks
      .filter(({ id }) => !own!.rollbacks.some((known) => known.id === id))
      .sort((a, b) => a.epoch - b.epoch)
    const everywhere = [{ from: 0, to: Number.MAX_SAFE_INTEGER }]
    const uncovered = subtract(everywhere, union(heights, skipped))
    for (const removed of [...missing.map((rollback) => [rollback.removed]), uncovered]) {
      await undoHeights({ registry, random }, tx, { workers, removed })
      for (const range of removed) await family.forgetObserved(tx, { removed: range })
    }
    const copy = subtract(own!.heights, rangeSet(missing.map(({ removed }) => removed)))
    await tx.query(`update ${tables.coverage} set heights = $2, skipped = $3 where worker_type = $1`, [
      rawIngester,
      printMultirange(intersect(copy, heights)),
      printMultirange(intersect(own!.skipped, skipped)),
    ])
    for (const rollback of missing) await insertRollback(tx, "app", rollback)
    await tx.query(`update ${tables.chainState} set chain_epoch = greatest(chain_epoch, $1::int8)`, [
      seen.epoch,
    ])
  }, rollbackLimits)
}

const insertRollback = (
  tx: Queryable,
  schema: "raw" | "app",
  { id, epoch, removed, reason }: KnownRollback,
): Promise<unknown> =>
  tx.query(
    `insert into ${schema}.rollbacks (id, epoch, removed, reason) values ($1, $2, $3::int8range, $4)`,
    [id, epoch, printRange(removed), reason],
  )

interface StateRow {
  chain_epoch: string
  server: string
  open: boolean
  heights: string | null
  skipped: string | null
  rollbacks: { id: string; epoch: number; removed: string; reason: string | null }[]
}

async function readState(sql: Queryable, schema: "raw" | "app"): Promise<StoreState | undefined> {
  const {
    rows: [row],
  } = await sql.query<StateRow>(
    `select state.chain_epoch, pg_postmaster_start_time()::text as server, ${schema === "raw" ? "state.intent_id is not null" : "false"} as open,
       coverage.heights::text as heights, coverage.skipped::text as skipped,
       coalesce((select json_agg(json_build_object('id', id, 'epoch', epoch, 'removed', removed::text, 'reason', reason)) from ${schema}.rollbacks), '[]') as rollbacks
     from ${schema}.chain_state as state left join ${schema}.coverage as coverage on coverage.worker_type = $1`,
    [rawIngester],
  )
  if (!row) return undefined
  return {
    epoch: Number(row.chain_epoch),
    server: row.server,
    open: row.open,
    heights: parseMultirange(row.heights ?? "{}"),
    skipped: parseMultirange(row.skipped ?? "{}"),
    rollbacks: row.rollbacks.map((one) => ({ ...one, removed: parseRange(one.removed)! })),
  }
}
