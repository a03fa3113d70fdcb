// Brings two databases back to agreement when one of them went back: restored from a backup, or failed over with a loss. What raw knows is
// replayed in an app database that fell behind; what a raw database forgot is taken back in app, before raw stores anything.

import type { RollbackRecord, StoreState } from "../coordination/rollback-ledger.js"
import { intersect, rangeSet, subtract, union } from "../domain/range-set.js"
import type { Queryable } from "../postgres/transaction.js"
import { readStoredRegistry } from "../workers/postgres/stored-registry.js"
import { undoHeights } from "../workers/postgres/undo-heights.js"
import { finishRollback, type RollbackDeps } from "./finish-rollback.js"
import { rollbackLimits } from "./rollback-app.js"

/** agreed: nothing to do. busy: a rollback is under way or came between; look again. */
export type Alignment = "agreed" | "busy" | "app-went-back" | "raw-went-back"

export async function alignStores<Tx extends Queryable>(deps: RollbackDeps<Tx>): Promise<Alignment> {
  const { ledgers } = deps
  // All that is asked for every second.
  if (await agreesAtSight(deps)) return "agreed"
  const server = (await ledgers.raw.readState(deps.raw))?.server
  // App before raw: raw only grows meanwhile, so a copy that is too large here is too large in truth.
  const app = await ledgers.app.readState(deps.app)
  const raw = await ledgers.raw.readState(deps.raw)
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
    await ledgers.raw.recordComparison(deps.raw, server)
    return "agreed"
  }
  await replayInApp(deps, raw)
  return "app-went-back"
}

/**
 * On a server that was compared before: as many rollbacks on both sides, the last one the same, and no copy beyond what raw has. A database that went back knows a
 * beginning of what it knew, so one that lacks any of them has fewer.
 */
async function agreesAtSight<Tx extends Queryable>({
  app,
  raw,
  ledgers,
}: RollbackDeps<Tx>): Promise<boolean> {
  const seen = await ledgers.app.readSight(app)
  const stored = await ledgers.raw.readSight(raw)
  if (!seen || !stored?.settled) return false
  return (
    seen.epoch >= stored.epoch &&
    seen.rollbacks === stored.rollbacks &&
    seen.lastRollback === stored.lastRollback &&
    subtract(union(seen.heights, seen.skipped), union(stored.heights, stored.skipped)).length === 0
  )
}

/** An intent with an id and an epoch that neither side has ever had; its first step lowers the copy as well. */
async function takeBackInApp<Tx extends Queryable>(
  deps: RollbackDeps<Tx>,
  {
    app,
    raw,
    unknownToRaw,
    from,
  }: { app: StoreState; raw: StoreState; unknownToRaw: readonly RollbackRecord[]; from: number },
): Promise<boolean> {
  const { random, ledgers } = deps
  const reason = `the raw database went back: it lacks blocks or rollbacks that app knows, from block ${from} on`
  const isOpened = await deps.raw.transaction(async (tx) => {
    const at = { epoch: raw.epoch, above: app.epoch }
    if (!(await ledgers.raw.openIntent(tx, { id: random.uuid(), from, ancestorHash: null, reason, ...at })))
      return false
    // What raw forgot it knows again, else it would be found missing for ever.
    for (const rollback of unknownToRaw) await ledgers.raw.recordRollback(tx, rollback)
    return true
  }, rollbackLimits)
  if (isOpened) await finishRollback(deps)
  return isOpened
}

/** Oldest first every rollback that app lacks; then whatever raw does not cover; then raw's epoch. */
async function replayInApp<Tx extends Queryable>(
  { app, raw, ledgers, family }: RollbackDeps<Tx>,
  seen: StoreState,
): Promise<void> {
  const ledger = ledgers.app
  await app.transaction(async (tx) => {
    await ledger.lockChain(tx, "exclusive")
    const own = await ledger.readState(tx)
    const { heights, skipped } = (await ledgers.raw.readState(raw)) ?? seen
    const registry = await readStoredRegistry(tx)
    const workers = registry.workers.map(({ name }) => name)
    // A claim that came meanwhile would see the old coverage, and no epoch need tell it from the truth: app may have gone through a later rollback before it was found to lack this one.
    await ledger.lockClaims(tx, workers)
    const missing = seen.rollbacks
      .filter(({ id }) => !own!.rollbacks.some((known) => known.id === id))
      .sort((a, b) => a.epoch - b.epoch)
    const everywhere = [{ from: 0, to: Number.MAX_SAFE_INTEGER }]
    const uncovered = subtract(everywhere, union(heights, skipped))
    for (const removed of [...missing.map((rollback) => [rollback.removed]), uncovered]) {
      await undoHeights({ registry, ledger }, tx, { workers, removed })
      for (const range of removed) await family.forgetObserved(tx, { removed: range })
    }
    const copy = subtract(own!.heights, rangeSet(missing.map(({ removed }) => removed)))
    await ledger.replaceCopy(tx, {
      heights: intersect(copy, heights),
      skipped: intersect(own!.skipped, skipped),
    })
    for (const rollback of missing) await ledger.recordRollback(tx, rollback)
    await ledger.raiseEpoch(tx, seen.epoch)
  }, rollbackLimits)
}
