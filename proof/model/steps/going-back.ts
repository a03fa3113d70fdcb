// Databases that go back (a restore, a failover with a loss), and the comparison that brings the two together again
// (src/rollback/align-stores.ts). Work in app goes on meanwhile: nobody tells it.

import type { Config } from "../config.js"
import { canGoBack } from "../config.js"
import { cut, touched } from "../leases.js"
import { isClaiming, mayExclude, stepSide } from "../locks.js"
import { lowest, openIntent, rollbackApp, undoHeights } from "../rollback.js"
import {
  CLAIMED,
  E,
  type Emit,
  F,
  has,
  maskOf,
  type RawStore,
  READY,
  type Rollback,
  type Side,
  type Slot,
  type State,
  sideOf,
  spend,
  type Undoing,
  withApp,
  withRaw,
} from "../state.js"

export const lacks = (known: readonly Rollback[], others: readonly Rollback[]): readonly Rollback[] =>
  others.filter(({ id }) => !known.some((one) => one.id === id))

export function goingBackSteps(state: State, config: Config, emit: Emit): void {
  if (state.left.restore > 0) {
    if (!state.appBackup) emit("!app is backed up", { ...state, appBackup: state.app }, true)
    else {
      const app = { ...state.appBackup, wentBack: true }
      emit("!app is restored", spend({ ...disconnected(state, "app"), app, appBackup: null }, "restore"), true)
    }
  }
  if (state.left.rawBack > 0) {
    if (!state.rawBackup) emit("!raw is backed up", { ...state, rawBackup: state.raw }, true)
    else {
      const raw = { ...state.rawBackup, wentBack: true }
      emit("!raw goes back", spend({ ...disconnected(state, "raw"), raw, rawBackup: null }, "rawBack"), true)
    }
  }
  if (canGoBack(config)) compare(state, config, emit)
}

/** Open transactions end; what processes remember stays. */
function disconnected(state: State, side: Side): State {
  const isOpen = (slot: Slot): boolean => sideOf(slot.worker) === side && (slot.at < CLAIMED || slot.at > READY)
  return {
    ...state,
    slots: state.slots.map((slot) => (slot && isOpen(slot) ? null : slot)),
    rollbackers: state.rollbackers.map((one) => (one?.open && side === stepSide[one.step] ? null : one)),
    comparer: state.comparer && { ...state.comparer, stale: true },
    undoing: side === "app" ? null : outdated(state.undoing),
  }
}

const outdated = (undoing: Undoing | null): Undoing | null =>
  undoing && "stale" in undoing.why ? { ...undoing, why: { ...undoing.why, stale: true } } : undoing

function compare(state: State, config: Config, emit: Emit): void {
  const { raw, app, comparer } = state
  if (!comparer) {
    const needed = raw.wentBack || app.wentBack || !agree(state)
    const { epoch, copy, rollbacks } = app
    if (needed) emit("comparison reads app", { ...state, comparer: { epoch, copy, rollbacks, stale: false } })
    return
  }
  const done: State = { ...state, comparer: null }
  if (raw.intent) {
    emit("comparison: a rollback is open, later", done)
    return
  }
  const { rules } = config
  const settled = (next: State): State => (comparer.stale ? next : compared(next))
  const unknownToRaw = rules.comparesHistory ? lacks(raw.rollbacks, comparer.rollbacks) : []
  const unknownToApp = rules.replay ? lacks(comparer.rollbacks, raw.rollbacks) : []
  const forgotten = rules.comparesCoverage ? comparer.copy & ~raw.coverage : 0
  if (unknownToRaw.length > 0 || (forgotten !== 0 && unknownToApp.length === 0)) {
    const odd = [...unknownToRaw, ...unknownToApp].map(({ from }) => from)
    const from = Math.min(lowest(forgotten, config) ?? config.heights, ...odd)
    const epoch = (rules.epochAboveBoth ? Math.max(raw.epoch, comparer.epoch) : raw.epoch) + 1
    const knows = withRaw(done, { rollbacks: [...raw.rollbacks, ...unknownToRaw] })
    const opened = openIntent(knows, config, { from, to: config.heights, back: true, epoch })
    emit(`comparison: raw went back, intent to ${from} at epoch ${epoch}`, settled(opened))
    return
  }
  if (unknownToApp.length === 0 && comparer.epoch >= raw.epoch) {
    emit("comparison: they agree", settled(done))
    return
  }
  if (!mayExclude(state, config, "app") || (rules.replayClaimsWait && isClaiming(state))) return
  const { rollbacks, coverage, epoch } = raw
  const seen: Replayed = { rollbacks, coverage, epoch, stale: comparer.stale }
  if (config.openUndo) {
    const removed = lacks(app.rollbacks, rollbacks).reduce((gone, one) => gone | maskOf(one), ~coverage)
    emit("comparison: app went back, leases cut", {
      ...done,
      undoing: { cut: touched(app, removed), why: seen },
    })
  } else emit("comparison: app went back, rollbacks replayed", replayInApp(done, config, seen))
}

type Replayed = Pick<RawStore, "rollbacks" | "coverage" | "epoch"> & { readonly stale: boolean }

const compared = (state: State): State => ({
  ...state,
  raw: { ...state.raw, wentBack: false },
  app: { ...state.app, wentBack: false },
})

/** Oldest first every rollback that app lacks; then whatever raw does not cover; then raw's epoch. */
export function replayInApp(state: State, config: Config, raw: Replayed, only?: readonly number[]): State {
  let next = state
  if (config.rules.replay) {
    const missing = [...lacks(state.app.rollbacks, raw.rollbacks)].sort((a, b) => a.epoch - b.epoch)
    for (const rollback of missing) next = rollbackApp(next, config, rollback, only)
  }
  let { app } = next
  for (let from = 0; from < config.heights; from++) {
    if (has(raw.coverage, from)) continue
    const removed = { from, to: from + 1 }
    app = cut(undoHeights(app, config, removed), config, { removed, workers: [E, F], only })
  }
  const epoch = Math.max(app.epoch, raw.epoch)
  const replayed = withApp(next, { ...app, copy: app.copy & raw.coverage, epoch })
  return raw.stale ? replayed : compared(replayed)
}

/** Whether the two databases say the same of the chain's past, and app claims no more than raw has. */
export function agree({ raw, app }: State): boolean {
  return (
    lacks(raw.rollbacks, app.rollbacks).every(({ id }) => id === raw.intent?.id) &&
    lacks(app.rollbacks, raw.rollbacks).length === 0 &&
    (app.copy & ~raw.coverage) === 0 &&
    app.epoch >= raw.epoch
  )
}
