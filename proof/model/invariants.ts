// What must hold in every state, numbered as in docs/model.md, and what must stay within reach.

import { isOrphan, parentVersion, versionOf } from "./chain.js"
import { type Config, canGoBack, isOn } from "./config.js"
import { meetsCoverage } from "./leases.js"
import { hasDone, inTransaction, isExclusive } from "./locks.js"
import { E, F, has, mask, overlap, position, type State, within, workerNames } from "./state.js"
import { agree } from "./steps/going-back.js"

/** The first promise that a state breaks. */
export function brokenInvariant(state: State, config: Config): string | null {
  return (
    state.broken ??
    rowsMatchCoverage(state, config) ??
    (isComparable(state, config) ? sidesMatch(state, config) : null) ??
    (isOn(config, F) && (!config.derivesRows || isComparable(state, config)) ? foldMatches(state, config) : null) ??
    leasesMatch(state) ??
    deadlock(state, config)
  )
}

function rowsMatchCoverage({ raw, app, ...state }: State, config: Config): string | null {
  for (let height = 0; height < config.heights; height++) {
    if (has(raw.coverage, height) !== raw.blocks[height]! >= 0)
      return `(1) raw coverage and blocks differ at ${height}`
    if (has(app.E, height) !== app.rows[height]! >= 0) return `(1) E coverage and event rows differ at ${height}`
    if (height === 0 || !has(raw.coverage, height) || !has(raw.coverage, height - 1)) continue
    const parent = parentVersion({ ...state, raw, app }, height, raw.blocks[height]!)
    if (parent !== versionOf(raw.blocks[height - 1]!))
      return `(2) raw blocks ${height - 1} and ${height} are covered and not linked`
  }
  return app.E & app.skipped ? "(1) a height is both covered and skipped" : null
}

/** Between a restore and the comparison that follows, app and raw may say different things. */
function isComparable(state: State, config: Config): boolean {
  if (!isOn(config, E)) return false
  if (!canGoBack(config)) return true
  return !state.app.wentBack && !state.raw.wentBack && !state.raw.intent?.back && agree(state)
}

/** (3) to (5) hold in the middle of a rollback too: app is lowered first and raised last. */
function sidesMatch({ raw, app }: State, config: Config): string | null {
  if (!within(app.copy, raw.coverage)) return "(3) the copy claims more than raw has"
  if (!within(app.E | app.skipped, raw.coverage)) return "(4) E covers more than raw has"
  // Nothing rests on this one.
  if (!config.hardOnly && !within(app.E, app.copy)) return "(4, soft) E covers more than the copy"
  if (!within(app.F, app.E | app.skipped)) return "(4) F covers more than E"
  if (app.epoch < raw.epoch || app.epoch > raw.epoch + 1)
    return `(3) the epochs are apart: raw ${raw.epoch}, app ${app.epoch}`
  if (app.epoch === raw.epoch + 1 && raw.intent?.epoch !== app.epoch)
    return "(3) app is an epoch ahead with no intent open"
  for (let height = 0; height < config.heights; height++) {
    const content = raw.blocks[height]! + (has(app.fixed, height) ? 16 : 0)
    if (has(app.E, height) && app.rows[height] !== content)
      return `(5) event row ${height} stems from another block than raw has`
  }
  return null
}

function foldMatches({ app }: State, config: Config): string | null {
  let last = -1
  for (let height = 0; height < config.heights; height++) {
    const content = has(app.F, height) ? app.rows[height]! : -1
    const expected = content >= 0 ? `+${content}` : ""
    if (app.sums[height] !== expected)
      return `(5) the sum at ${height} is {${app.sums[height]}}, its coverage says {${expected}}`
    if (content >= 0) last = position(height, content)
  }
  if (config.derivesRows) return null
  const at = (value: number): string => (value < 0 ? "none" : String(value >> 5))
  return app.last === last ? null : `(5) "last" is at ${at(app.last)}, its coverage says ${at(last)}`
}

function leasesMatch(state: State): string | null {
  for (const leases of [state.raw.leases, state.app.leases]) {
    for (const [i, lease] of leases.entries()) {
      const name = workerNames[lease.worker]
      for (let j = i + 1; j < leases.length; j++) {
        const other = leases[j]!
        if (lease.worker === other.worker && overlap(lease, other))
          return `(6) two unfinished leases of ${name} overlap`
      }
      if (meetsCoverage(state, lease)) return `(6) an unfinished lease of ${name} over covered heights`
    }
  }
  return null
}

function deadlock(state: State, config: Config): string | null {
  if (!config.openRollback || !config.rules.sharedLock[F] || !isExclusive(state, config, "app")) return null
  const waits = state.slots.some(
    (slot) => inTransaction(slot) && hasDone(config, slot, "fold") && !hasDone(config, slot, "lock"),
  )
  return waits
    ? "(7) deadlock: a fold holds rows that the rollback needs, and waits for the lock that the rollback has"
    : null
}

/** Caught up with the canonical chain. That it can be reached from every state, without a further fault, is invariant (7). */
export function isCaughtUp(state: State, config: Config): boolean {
  const { raw, app } = state
  const all = mask(0, config.heights)
  if (raw.intent || raw.coverage !== all || raw.wentBack || app.wentBack) return false
  if (canGoBack(config) && !agree(state)) return false
  for (let height = 0; height < config.heights; height++) if (isOrphan(state, height)) return false
  return (!isOn(config, E) || (app.E | app.skipped) === all) && (!isOn(config, F) || app.F === all)
}
