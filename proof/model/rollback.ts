// Undo of any heights, and the two steps of a rollback (src/rollback/, src/workers/postgres/undo-heights.ts). Each is one
// transaction under the exclusive chain lock, so nobody comes between its statements.

import type { Config } from "./config.js"
import { cut } from "./leases.js"
import { isHolder, namesConnections } from "./locks.js"
import {
  type AppStore,
  bag,
  E,
  F,
  has,
  mask,
  maskOf,
  position,
  RAW,
  type Range,
  type Rollback,
  type Slot,
  type State,
  withRaw,
} from "./state.js"

/** Takes heights out of F, then out of E: any range, not only the end. */
export function undoHeights(app: AppStore, config: Config, removed: Range): AppStore {
  const { rules, heights } = config
  const gone = maskOf(removed)
  const kept = app.rows.map((content, height) => (has(gone, height) ? -1 : content))
  const rows = rules.undoFirst ? app.rows : kept
  const undone = rules.undo === "covered" ? app.F & gone : gone
  const sums = app.sums.map((sum, height) => {
    if (config.derivesRows) return has(gone, height) ? "" : sum
    return has(undone, height) && rows[height]! >= 0 ? bag(sum, rows[height]!, -1) : sum
  })
  const stays = app.F & ~gone
  let { last } = app
  if (last >= 0 && has(gone, last >> 5)) {
    last = -1
    for (let height = 0; height < heights; height++) {
      const counts = kept[height]! >= 0 && (rules.probe === "any" || has(stays, height))
      if (counts) last = position(height, kept[height]!)
    }
  }
  return { ...app, rows: kept, sums, last, F: stays, E: app.E & ~gone, skipped: app.skipped & ~gone }
}

/** Step 1. Void when its id is done. */
export function rollbackApp(
  state: State,
  config: Config,
  intent: Rollback,
  only?: readonly number[] | undefined,
): State {
  const { stepsOnce } = config.rules
  if (stepsOnce && state.app.rollbacks.some(({ id }) => id === intent.id)) return state
  const undone = undoHeights(state.app, config, intent)
  const app = cut(undone, config, { removed: intent, workers: [E, F], only })
  const done: State = {
    ...state,
    app: {
      ...app,
      copy: app.copy & ~maskOf(intent),
      // Never lowered: the intent may be one that raw has lost since, remembered by one process.
      epoch: stepsOnce ? Math.max(app.epoch, intent.epoch) : intent.epoch,
      rollbacks: [...app.rollbacks, intent],
    },
  }
  return endCutHolders(state, done, config)
}

/** Step 2. Void unless its id is the open one. */
export function rollbackRaw(
  state: State,
  config: Config,
  intent: Rollback,
  only?: readonly number[] | undefined,
): State {
  if (config.rules.stepsOnce && state.raw.intent?.id !== intent.id) return state
  const gone = maskOf(intent)
  const done = withRaw(state, {
    ...cut(state.raw, config, { removed: intent, workers: [RAW], only }),
    blocks: state.raw.blocks.map((content, height) => (has(gone, height) ? -1 : content)),
    coverage: state.raw.coverage & ~gone,
    epoch: intent.epoch,
    rollbacks: [...state.raw.rollbacks, intent],
    intent: null,
    repaired: intent.repair ? state.raw.repaired | gone : state.raw.repaired,
  })
  return endCutHolders(state, done, config)
}

/** Whoever cuts a lease ends its holder's connection: nobody could find it later, since no lease names it any more. */
export function endCutHolders(before: State, after: State, config: Config): State {
  if (!config.rules.cutEnds || !namesConnections(config)) return after
  const holds = (state: State, slot: Slot | null): boolean =>
    [...state.raw.leases, ...state.app.leases].some((lease) => isHolder(slot, lease))
  return {
    ...after,
    slots: after.slots.map((slot) => (holds(before, slot) && !holds(after, slot) ? null : slot)),
  }
}

/** Records the one open intent. */
export function openIntent(
  state: State,
  config: Config,
  request: Omit<Rollback, "id" | "epoch"> & { readonly epoch?: number },
): State {
  const { repairEpoch, freshIntentIds } = config.rules
  const next = state.raw.epoch + (request.repair && !repairEpoch ? 0 : 1)
  const id = freshIntentIds ? state.intents + 1 : state.raw.sequence + 1
  const intent: Rollback = { ...request, epoch: request.epoch ?? next, id }
  return { ...withRaw(state, { intent, sequence: state.raw.sequence + 1 }), intents: state.intents + 1 }
}

/** All heights from one up. */
export const above = (config: Config, from: number): Range => ({ from, to: config.heights })

/** The lowest height of a set, or undefined. */
export function lowest(set: number, config: Config): number | undefined {
  for (let height = 0; height < config.heights; height++) if (set & mask(height, height + 1)) return height
  return undefined
}
