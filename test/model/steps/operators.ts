// What a person may do to one height of E: skip it when it is dead, retry it, have it derived again.

import type { Config } from "../config.js"
import { cut, failed } from "../leases.js"
import { isExclusive, mayExclude } from "../locks.js"
import { endCutHolders, undoHeights } from "../rollback.js"
import {
  type AppStore,
  DEAD,
  E,
  type Emit,
  F,
  has,
  maskOf,
  print,
  put,
  type State,
  spend,
  withApp,
} from "../state.js"

export function operatorSteps(state: State, config: Config, emit: Emit): void {
  if (!config.skips) return
  const { app } = state
  for (const lease of app.leases) {
    if (lease.worker !== E || lease.status !== DEAD || isExclusive(state, config, "app")) continue
    const leases = app.leases.filter((one) => one !== lease)
    emit(`operator skips E${print(lease)}`, withApp(state, { leases, skipped: app.skipped | maskOf(lease) }))
    const retried = app.leases.map((one) => (one === lease ? failed(one) : one))
    emit(`operator retries dead E${print(lease)}`, withApp(state, { leases: retried }))
  }
  if (config.rules.retryLocked && !mayExclude(state, config, "app")) return
  const reopened = (next: AppStore): State => endCutHolders(state, { ...state, app: next }, config)
  for (let height = 0; height < config.heights; height++) {
    if (has(app.skipped, height))
      emit(`operator retries skipped E[${height},${height + 1})`, reopened(reopen(state, config, height)))
    if (!has(app.E, height) || state.left.fix === 0) continue
    const opened = reopen(state, config, height)
    const fixed = { ...opened, fixed: opened.fixed | maskOf({ from: height, to: height + 1 }) }
    emit(`!operator repairs E[${height},${height + 1})`, spend(reopened(fixed), "fix"), true)
  }
}

/** The height goes back to E, and with it to all who depend on E. */
function reopen({ app }: State, config: Config, height: number): AppStore {
  const removed = { from: height, to: height + 1 }
  const gone = maskOf(removed)
  const undone = config.rules.undoOnRetry
    ? undoHeights(app, config, removed)
    : { ...app, rows: put(app.rows, height, -1), E: app.E & ~gone, skipped: app.skipped & ~gone }
  return config.rules.retryFences ? cut(undone, config, { removed, workers: [E, F] }) : undone
}
