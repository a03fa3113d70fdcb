// Reorganisations seen, intents recorded, and the two steps of a rollback, by whoever and as often as they like.

import { isOrphan } from "../chain.js"
import type { Config } from "../config.js"
import { touched } from "../leases.js"
import { hasDone, inTransaction, mayExclude, stepSide } from "../locks.js"
import { above, openIntent, rollbackApp, rollbackRaw } from "../rollback.js"
import { type Emit, has, maskOf, print, put, type Rollback, type Rollbacker, type State, spend } from "../state.js"

/** Where the chain parts from what is stored. */
function divergence(state: State, config: Config): number | undefined {
  const { coverage } = state.raw
  if (state.raw.wentBack && config.rules.comparesFirst) return undefined
  if (config.rules.detect === "lowest") {
    for (let height = 0; height < config.heights; height++)
      if (has(coverage, height) && isOrphan(state, height)) return height
    return undefined
  }
  let low: number | undefined
  for (let height = config.heights - 1; height >= 0; height--) {
    if (!has(coverage, height)) continue
    if (!isOrphan(state, height)) break
    low = height
  }
  return low
}

export function intentSteps(state: State, config: Config, emit: Emit): void {
  const { raw } = state
  const height = raw.intent ? undefined : divergence(state, config)
  if (state.watches.length === 0 && height !== undefined)
    emit(`reorganisation seen: intent to ${height}`, openIntent(state, config, above(config, height)))
  for (const [at, watch] of state.watches.entries()) {
    const set = (value: State["watches"][number], from = state): State => ({
      ...from,
      watches: put(from.watches, at, value),
    })
    if (!watch) {
      if (height !== undefined)
        emit(`watch ${at} sees that block ${height} differs`, set({ height, epoch: raw.epoch }))
      continue
    }
    if (raw.wentBack && config.rules.comparesFirst) continue
    const isVoid = raw.intent !== null || raw.epoch !== watch.epoch
    if (isVoid && config.rules.intentCas)
      emit(`watch ${at}: intent refused, the epoch moved or one is open`, set(null))
    else
      emit(
        `watch ${at} records the intent to ${watch.height}`,
        set(null, openIntent(state, config, above(config, watch.height))),
      )
  }
  if (state.left.repair === 0 || raw.intent || raw.wentBack) return
  for (let from = 0; from < config.heights; from++) {
    if (!has(raw.coverage, from)) continue
    const opened = openIntent(state, config, { from, to: from + 1, repair: true })
    emit(`!operator repairs raw block ${from}: intent`, spend(opened, "repair"), true)
  }
}

interface Step {
  readonly intent: Rollback
  readonly step: 1 | 2
  readonly cut?: readonly number[] | undefined
}

function run(state: State, config: Config, { intent, step, cut }: Step): State {
  return step === 1 ? rollbackApp(state, config, intent, cut) : rollbackRaw(state, config, intent, cut)
}

export function rollbackSteps(state: State, config: Config, emit: Emit): void {
  const { intent } = state.raw
  if (state.rollbackers.length === 0 && intent) {
    const step = state.app.rollbacks.some(({ id }) => id === intent.id) ? 2 : 1
    if (mayExclude(state, config, stepSide[step]))
      emit(`rollback step ${step} (${stepSide[step]}) of ${print(intent)}`, run(state, config, { intent, step }))
  }
  for (const at of state.rollbackers.keys()) rollbackerSteps(state, config, at, emit)
}

const blank = { open: false, cut: [], frozen: false } as const

function rollbackerSteps(state: State, config: Config, at: number, emit: Emit): void {
  const { rules, openRollback } = config
  const one = state.rollbackers[at]!
  const [first, second] = rules.appFirst ? ([1, 2] as const) : ([2, 1] as const)
  const set = (value: Rollbacker | null, from = state): State => ({
    ...from,
    rollbackers: put(from.rollbackers, at, value),
  })
  if (!one) {
    const { intent } = state.raw
    if (intent) emit(`r${at} reads the intent`, set({ ...blank, intent, step: first }))
    return
  }
  if (one.frozen) {
    if (rules.idleTimeout) emit(`r${at} idles in its transaction: ended by the server`, set(null))
    return
  }
  emit(`!r${at} crashes`, set(null), true)
  if (one.open && state.left.freeze > 0)
    emit(`!r${at} is stopped in its open transaction`, spend(set({ ...one, frozen: true }), "freeze"), true)
  const side = stepSide[one.step]
  if (!one.open && !mayExclude(state, config, side)) return
  if (openRollback && !one.open) {
    const cut = touched(state[side], maskOf(one.intent))
    emit(`r${at} takes the exclusive chain lock of ${side}`, set({ ...one, open: true, cut }))
    return
  }
  // Fold rows that an open transaction has changed are waited for.
  const isHeldUp = state.slots.some((slot) => inTransaction(slot) && hasDone(config, slot, "fold"))
  if (openRollback && one.step === 1 && isHeldUp) return
  const next = one.step === first ? { ...blank, intent: one.intent, step: second } : null
  emit(
    `r${at} step ${one.step} (${side}) of ${print(one.intent)}`,
    set(next, run(set(null), config, one.open ? one : { ...one, cut: undefined })),
  )
}
