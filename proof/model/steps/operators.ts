// What a person may do to one height of E: skip it when it is dead, retry it, have it derived again.

import type { Config } from "../config.js"
import { cut, failed, touched } from "../leases.js"
import { isClaiming, isExclusive, mayExclude } from "../locks.js"
import { endCutHolders, undoHeights } from "../rollback.js"
import { type AppStore, DEAD, E, type Emit, F, has, maskOf, print, put, type State, spend, withApp } from "../state.js"

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
  if (config.rules.claimsWait && isClaiming(state)) return
  for (let height = 0; height < config.heights; height++) {
    const isRepair = has(app.E, height) && state.left.fix > 0
    if (!isRepair && !has(app.skipped, height)) continue
    const why = { height, isRepair }
    const what = `${isRepair ? "!operator repairs" : "operator retries skipped"} E[${height},${height + 1})`
    const cutNow = touched(app, maskOf({ from: height, to: height + 1 }))
    if (config.openUndo) emit(`${what}: leases cut`, { ...state, undoing: { cut: cutNow, why } }, isRepair)
    else emit(what, giveBack(state, config, why), isRepair)
  }
}

interface GivenBack {
  readonly height: number
  readonly isRepair: boolean
}

export function giveBack(
  state: State,
  config: Config,
  { height, isRepair }: GivenBack,
  only?: readonly number[],
): State {
  const opened = reopen(state, config, height, only)
  const fixed = isRepair ? opened.fixed | maskOf({ from: height, to: height + 1 }) : opened.fixed
  const next = endCutHolders(state, { ...state, app: { ...opened, fixed } }, config)
  return isRepair ? spend(next, "fix") : next
}

/** The height goes back to E, and with it to all who depend on E. */
function reopen({ app }: State, config: Config, height: number, only?: readonly number[]): AppStore {
  const removed = { from: height, to: height + 1 }
  const gone = maskOf(removed)
  const undone = config.rules.undoOnRetry
    ? undoHeights(app, config, removed)
    : { ...app, rows: put(app.rows, height, -1), E: app.E & ~gone, skipped: app.skipped & ~gone }
  return config.rules.retryFences ? cut(undone, config, { removed, workers: [E, F], only }) : undone
}
