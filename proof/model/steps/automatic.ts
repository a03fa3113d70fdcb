// Workers that a configuration does not look into: one step from claim to commit, on any range that is free.

import { answersFor } from "../chain.js"
import { operations, rowsIn, store } from "../commit.js"
import { type Config, isOn } from "../config.js"
import type { Operation } from "../locks.js"
import {
  blankSlot,
  coverageOf,
  E,
  type Emit,
  F,
  gateHolds,
  has,
  leasesOf,
  maskOf,
  overlap,
  print,
  RAW,
  READY,
  type Slot,
  type State,
  sideOf,
  spend,
  type Worker,
  within,
} from "../state.js"

function freeSlots(state: State, config: Config, worker: Worker): Slot[] {
  const found: Slot[] = []
  const leases = leasesOf(state, sideOf(worker)).filter((lease) => lease.worker === worker)
  for (let from = 0; from < config.heights; from++) {
    const end = Math.min(config.heights, (Math.floor(from / config.rangeSize) + 1) * config.rangeSize)
    for (let to = from + 1; to <= end; to++) {
      const range = { from, to }
      if (maskOf(range) & coverageOf(state, worker)) continue
      if (leases.some((lease) => overlap(lease, range))) continue
      const noted = worker === F ? state.app.epoch : state.raw.epoch
      found.push({ ...blankSlot, ...range, worker, id: -1, at: READY, noted })
    }
  }
  return found
}

export function automaticSteps(state: State, config: Config, emit: Emit): void {
  const passes = (slot: Slot, tests: readonly Operation[]): boolean =>
    tests.every((test) => operations[test](state, config, slot) === null)
  if (config.workers.raw === "auto" && !(state.raw.wentBack && config.rules.comparesFirst)) {
    for (const free of freeSlots(state, config, RAW)) {
      for (const { data, lagging } of answersFor(state, free)) {
        const slot = { ...free, data }
        if (!passes(slot, ["lock", "intent", "seam"])) continue
        const label = `${lagging ? "!" : ""}raw${print(slot)} stored${lagging ? " from a lagging node" : ""}`
        emit(label, store(lagging ? spend(state, "lag") : state, config, slot), lagging)
      }
    }
  }
  if (config.workers.E === "auto") {
    for (const free of freeSlots(state, config, E)) {
      if (!gateHolds(state, E, free) || !within(maskOf(free), state.raw.coverage)) continue
      const data = state.raw.blocks
        .map((block, height) => block + (has(state.app.fixed, height) ? 16 : 0))
        .slice(free.from, free.to)
      const slot = { ...free, data, noted: Math.min(state.raw.epoch, state.app.epoch) }
      if (passes(slot, ["lock", "rollback"])) emit(`E${print(slot)} derived`, store(state, config, slot))
    }
  }
  if (isOn(config, F) && config.workers.F === "auto") {
    for (const free of freeSlots(state, config, F)) {
      if (!gateHolds(state, F, free)) continue
      const slot = { ...free, data: rowsIn(state, free) }
      if (passes(slot, ["lock"])) emit(`F${print(slot)} folded`, store(state, config, slot))
    }
  }
}
