// What runs beside the work: the reaper, and the copier of raw's coverage.

import type { Config } from "../config.js"
import { failed } from "../leases.js"
import { isExclusive, isHolder, isLeaseLocked, namesConnections } from "../locks.js"
import {
  ACTIVE,
  DEAD,
  E,
  type Emit,
  FAILED,
  type Lease,
  leasesOf,
  print,
  put,
  type State,
  sideOf,
  spend,
  withApp,
  withLeases,
  withSlot,
  workerNames,
} from "../state.js"

/** Time is not in the model: any lease may be over at any moment. */
export function reaperSteps(state: State, config: Config, emit: Emit): void {
  for (const side of ["raw", "app"] as const) {
    for (const lease of leasesOf(state, side)) {
      const become = (other: Lease): State =>
        withLeases(
          state,
          side,
          leasesOf(state, side).map((one) => (one === lease ? other : one)),
        )
      const name = `${workerNames[lease.worker]}${print(lease)}`
      if (lease.status === ACTIVE && !isLeaseLocked(state, config, lease))
        emit(`lease ${name} expires`, endHolders(become(failed(lease)), config, lease))
      const mayDie = lease.status === FAILED && lease.worker === E && lease.to === lease.from + 1
      if (mayDie && state.left.die > 0)
        emit(`!${name} is DEAD`, spend(become({ ...lease, status: DEAD }), "die"), true)
    }
  }
  if (!config.rules.reaperEnds) return
  for (const [at, slot] of state.slots.entries()) {
    const held = slot?.frozen && leasesOf(state, sideOf(slot.worker)).find((lease) => isHolder(slot, lease))
    // A plain read: a row that its holder has locked is no hiding place.
    if (held && (config.rules.plainLook || !isLeaseLocked(state, config, held)))
      emit(`connection of p${at} ended`, withSlot(state, at, null))
  }
}

/** Leases that fail are those whose connections were ended before: one moment for both looks of a run. */
function endHolders(failing: State, config: Config, lease: Lease): State {
  const { reaperEnds, oneCutoff } = config.rules
  if (!namesConnections(config) || !reaperEnds || !oneCutoff) return failing
  return { ...failing, slots: failing.slots.map((slot) => (isHolder(slot, lease) ? null : slot)) }
}

export function copierSteps(state: State, config: Config, emit: Emit): void {
  const { rules } = config
  const { raw, app } = state
  for (const [at, copier] of state.copiers.entries()) {
    const set = (value: State["copiers"][number]): State => ({
      ...state,
      copiers: put(state.copiers, at, value),
    })
    if (!copier) {
      if (raw.coverage === app.copy && raw.epoch === app.epoch) continue
      const seen = { coverage: raw.coverage, epoch: raw.epoch, tested: false }
      emit(`copier ${at} reads raw's coverage at epoch ${raw.epoch}`, set(seen))
      continue
    }
    if (isExclusive(state, config, "app") && rules.copyLocked) continue
    if (rules.copyEpoch && !copier.tested && app.epoch !== copier.epoch)
      emit(`copier ${at} writes nothing: the epoch moved`, set(null))
    else if (!rules.copyLocked && !copier.tested)
      emit(`copier ${at} compares the epochs`, set({ ...copier, tested: true }))
    else {
      const copy = rules.copyUnion ? app.copy | copier.coverage : copier.coverage
      emit(`copier ${at} writes`, withApp(set(null), { copy }))
    }
  }
}
