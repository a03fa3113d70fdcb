// Brings two databases back to agreement when one of them went back: restored from a backup, or failed over with a loss. What raw knows is
// replayed in an app database that fell behind; what a raw database forgot is taken back in app, before raw stores anything.

import { chainLock, coordinationTables } from "../coordination/postgres/coordination-tables.js"
import type { BlockRange } from "../domain/block-range.js"
import { intersect, type RangeSet, rangeSet, subtract, union } from "../domain/range-set.js"
import { forgetObservations } from "../indexes/token-metadata/forget-observations.js"
import { parseMultirange, parseRange, printMultirange, printRange } from "../postgres/multirange.js"
import type { Queryable } from "../postgres/transaction.js"
import { rawIngester } from "../raw/raw-tables.js"
import { readStoredRegistry } from "../workers/postgres/read-stored-registry.js"
import { undoHeights } from "../workers/postgres/undo-heights.js"
import { finishRollback, type RollbackDeps } from "./finish-rollback.js"
import { rollbackLimits } from "./rollback-app.js"

/** agreed: nothing to do. busy: a rollback is under way or came between; look again. */
export type Reconciled = "agreed" | "busy" | "app-went-back" | "raw-went-back"

interface StoreState {
  readonly epoch: number
  readonly open: boolean
  readonly heights: RangeSet
  readonly skipped: RangeSet
  readonly rollbacks: readonly { readonly id: string; readonly epoch: number; readonly removed: BlockRange }[]
}

export async function reconcileStores<Tx extends Queryable>(deps: RollbackDeps<Tx>): Promise<Reconciled> {
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
  if (unknownToApp.length === 0 && app.epoch >= raw.epoch) return "agreed"
  await replayInApp(deps, raw)
  return "app-went-back"
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
  const isOpened = await deps.raw.transaction(async (tx) => {
    const { rows } = await tx.query(
      `update raw.chain_state
       set intent_id = $1, intent_epoch = $2, intent_removed = int8range($3::int8, null), intent_ancestor_hash = null
       where intent_id is null and chain_epoch = $4
       returning 1 as opened`,
      [deps.random.uuid(), epoch, from, raw.epoch],
    )
    if (rows.length === 0) return false
    // What raw forgot it knows again, else it would be found missing for ever.
    for (const rollback of unknownToRaw) {
      await tx.query("insert into raw.rollbacks (id, epoch, removed) values ($1, $2, $3::int8range)", [
        rollback.id,
        rollback.epoch,
        printRange(rollback.removed),
      ])
    }
    return true
  }, rollbackLimits)
  if (isOpened) await finishRollback(deps)
  return isOpened
}

/** Oldest first every rollback that app lacks; then whatever raw does not cover; then raw's epoch. */
async function replayInApp<Tx extends Queryable>(
  { app, raw, random }: RollbackDeps<Tx>,
  seen: StoreState,
): Promise<void> {
  const tables = coordinationTables("app")
  await app.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock($1, $2)", [...chainLock])
    const own = await readState(tx, "app")
    const { heights, skipped } = (await readState(raw, "raw")) ?? seen
    const registry = await readStoredRegistry(tx)
    const workers = registry.workers.map(({ name }) => name)
    const missing = seen.rollbacks
      .filter(({ id }) => !own!.rollbacks.some((known) => known.id === id))
      .sort((a, b) => a.epoch - b.epoch)
    const everywhere = [{ from: 0, to: Number.MAX_SAFE_INTEGER }]
    const uncovered = subtract(everywhere, union(heights, skipped))
    for (const removed of [...missing.map((rollback) => [rollback.removed]), uncovered]) {
      await undoHeights({ registry, random }, tx, { workers, removed })
      for (const range of removed) await forgetObservations(tx, { removed: range })
    }
    const copy = subtract(own!.heights, rangeSet(missing.map(({ removed }) => removed)))
    await tx.query(`update ${tables.coverage} set heights = $2, skipped = $3 where worker_type = $1`, [
      rawIngester,
      printMultirange(intersect(copy, heights)),
      printMultirange(intersect(own!.skipped, skipped)),
    ])
    for (const { id, epoch, removed } of missing) {
      await tx.query(`insert into ${tables.rollbacks} (id, epoch, removed) values ($1, $2, $3::int8range)`, [
        id,
        epoch,
        printRange(removed),
      ])
    }
    await tx.query(`update ${tables.chainState} set chain_epoch = greatest(chain_epoch, $1::int8)`, [
      seen.epoch,
    ])
  }, rollbackLimits)
}

interface StateRow {
  chain_epoch: string
  open: boolean
  heights: string | null
  skipped: string | null
  rollbacks: { id: string; epoch: number; removed: string }[]
}

async function readState(sql: Queryable, schema: "raw" | "app"): Promise<StoreState | undefined> {
  const {
    rows: [row],
  } = await sql.query<StateRow>(
    `select state.chain_epoch, ${schema === "raw" ? "state.intent_id is not null" : "false"} as open,
       coverage.heights::text as heights, coverage.skipped::text as skipped,
       coalesce((select json_agg(json_build_object('id', id, 'epoch', epoch, 'removed', removed::text)) from ${schema}.rollbacks), '[]') as rollbacks
     from ${schema}.chain_state as state left join ${schema}.coverage as coverage on coverage.worker_type = $1`,
    [rawIngester],
  )
  if (!row) return undefined
  return {
    epoch: Number(row.chain_epoch),
    open: row.open,
    heights: parseMultirange(row.heights ?? "{}"),
    skipped: parseMultirange(row.skipped ?? "{}"),
    rollbacks: row.rollbacks.map(({ id, epoch, removed }) => ({ id, epoch, removed: parseRange(removed)! })),
  }
}
