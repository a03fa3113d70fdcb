// Makes two databases agree again after one of them went back: it was restored from a backup, or a failover lost
// commits. Rollbacks that app lost are replayed there. What raw lost is rolled back in app before raw stores
// anything.

import type { RollbackRecord, StoreState } from "../coordination/rollback-ledger.js"
import type { BlockRange } from "../domain/block-range.js"
import { intersect, rangeSet, subtract, union } from "../domain/range-set.js"
import { undoHeights } from "../workers/postgres/undo-heights.js"
import { announceRollback } from "./announce-rollback.js"
import { finishRollback } from "./finish-rollback.js"
import { rollbackLimits } from "./rollback-app.js"
import type { RollbackDeps } from "./rollback-deps.js"

/** agreed: nothing to do. busy: a rollback is in progress or came in between; try again. */
export type Alignment = "agreed" | "busy" | "app-went-back" | "raw-went-back"

export async function alignStores(deps: RollbackDeps): Promise<Alignment> {
  const { ledgers } = deps
  // The cheap comparison, which runs every second.
  if (await agreesAtSight(deps)) return "agreed"
  const server = (await ledgers.raw.readState(deps.raw))?.server
  // App before raw: raw only grows meanwhile, so a copy that seems too large is too large.
  const app = await ledgers.app.readState(deps.app)
  const raw = await ledgers.raw.readState(deps.raw)
  if (!app || !raw || raw.open) return "busy"
  const unknownToRaw = lacking(app.rollbacks, raw.rollbacks)
  const unknownToApp = lacking(raw.rollbacks, app.rollbacks)
  const forgotten = subtract(union(app.heights, app.skipped), union(raw.heights, raw.skipped))
  if (unknownToRaw.length > 0 || (forgotten.length > 0 && unknownToApp.length === 0)) {
    const lost = [...forgotten, ...rangesOf([...unknownToRaw, ...unknownToApp])]
    // Nothing, if all that one side lacks was cancelled: the rollback then brings only the records together.
    const end = raw.heights.at(-1)?.to ?? 0
    const from = lost.length === 0 ? end : Math.min(...lost.map((range) => range.from))
    return (await rollbackForgotten(deps, { app, raw, unknownToRaw, from })) ? "raw-went-back" : "busy"
  }
  if (unknownToApp.length === 0 && app.epoch >= raw.epoch) {
    // A failover in between: app was read before raw lost its commits.
    if (raw.server !== server) return "busy"
    await ledgers.raw.recordComparison(deps.raw, server)
    return "agreed"
  }
  await replayInApp(deps, raw)
  return "app-went-back"
}

/** Those that the other side does not know. Rollbacks are never deleted, so both lists may be long. */
function lacking(rollbacks: readonly RollbackRecord[], known: readonly RollbackRecord[]): RollbackRecord[] {
  const ids = new Set(known.map(({ id }) => id))
  return rollbacks.filter(({ id }) => !ids.has(id))
}

/** What they removed: nothing where one was cancelled. */
const rangesOf = (rollbacks: readonly RollbackRecord[]): BlockRange[] =>
  rollbacks.flatMap(({ removed }) => (removed ? [removed] : []))

/**
 * On a server that was compared before: both sides have as many of the last rollbacks, the newest one is the same, and
 * app's copy does not exceed raw. A database that went back has a prefix of its history, so a missing rollback shows in the
 * count.
 */
async function agreesAtSight({ app, raw, ledgers }: RollbackDeps): Promise<boolean> {
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

/** Opens an intent with an id and an epoch that are new to both sides. Its first step also lowers the copy. */
async function rollbackForgotten(
  deps: RollbackDeps,
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
    // Raw records the rollbacks that it lost, otherwise it would lack them in every later comparison.
    for (const rollback of unknownToRaw) await ledgers.raw.recordRollback(tx, rollback)
    return true
  }, rollbackLimits)
  if (isOpened) await finishRollback(deps)
  return isOpened
}

/**
 * Replays every rollback that app lacks, oldest first, then undoes what raw does not cover, then takes raw's epoch.
 */
async function replayInApp(
  { app, raw, ledgers, family, storedWorkers }: RollbackDeps,
  seen: StoreState,
): Promise<void> {
  const ledger = ledgers.app
  await app.transaction(async (tx) => {
    await ledger.lockChain(tx, "exclusive")
    const own = await ledger.readState(tx)
    const { heights, skipped } = (await ledgers.raw.readState(raw)) ?? seen
    const registry = await storedWorkers.read(tx)
    const workers = registry.workers.map(({ name }) => name)
    // A concurrent claim would see the old coverage. The epoch need not expose it: app may have done a later rollback
    // before it was found to lack this one.
    await ledger.lockClaims(tx, workers)
    const missing = lacking(seen.rollbacks, own!.rollbacks).sort((a, b) => a.epoch - b.epoch)
    const everywhere = [{ from: 0, to: Number.MAX_SAFE_INTEGER }]
    const uncovered = subtract(everywhere, union(heights, skipped))
    for (const removed of [...rangesOf(missing).map((range) => [range]), uncovered]) {
      await undoHeights({ registry, ledger }, tx, { workers, removed })
      for (const range of removed) await family.forgetObserved(ledgers.jobs, tx, { removed: range })
    }
    const copy = subtract(own!.heights, rangeSet(rangesOf(missing)))
    await ledger.replaceCopy(tx, {
      heights: intersect(copy, heights),
      skipped: intersect(own!.skipped, skipped),
    })
    for (const rollback of missing) {
      await ledger.recordRollback(tx, rollback)
      // App may have lost this too, or never written it, and consumers still have the removed blocks.
      await announceRollback(tx, rollback)
    }
    await ledger.raiseEpoch(tx, seen.epoch)
  }, rollbackLimits)
}
