// Loops of work: claim, read, commit, and all that can happen to them on the way.

import { answersFor } from "../chain.js"
import { operations, rowsIn, store } from "../commit.js"
import type { Config } from "../config.js"
import { type Choice, failed, heldLease, offers, split, type Taken, take } from "../leases.js"
import { claimsWait, inTransaction, isHolder, isLeaseLocked, kindOf, namesConnections } from "../locks.js"
import {
  blankSlot,
  CHOOSING,
  CLAIMED,
  coverageOf,
  E,
  type Emit,
  F,
  has,
  leasesOf,
  maskOf,
  print,
  RAW,
  READY,
  type Slot,
  type State,
  sideOf,
  spend,
  type Token,
  type Worker,
  within,
  withLeases,
  withSlot,
  workerNames,
} from "../state.js"

/** Raw that went back stores nothing before it was compared with app. */
const mayStore = (state: State, config: Config): boolean => !state.raw.wentBack || !config.rules.comparesFirst

export function workSteps(state: State, config: Config, emit: Emit): void {
  for (const [at, slot] of state.slots.entries()) {
    if (slot === null) claims(state, config, at, emit)
    else if (!slot.frozen) turns(state, config, { at, slot }, emit)
  }
}

function claims(state: State, config: Config, at: number, emit: Emit): void {
  for (const worker of [RAW, E, F] as const) {
    if (config.workers[workerNames[worker]] !== "fine" || (worker === RAW && !mayStore(state, config))) continue
    const name = `p${at} claims ${workerNames[worker]}`
    const isChoosing = (slot: Slot | null): boolean => slot?.at === CHOOSING && slot.worker === worker
    if (config.rules.claimLock && state.slots.some(isChoosing)) continue
    if (worker !== RAW && claimsWait(state, config)) continue
    if (!config.rules.claimOneSnapshot) {
      const seen = coverageOf(state, worker)
      emit(`${name}: reads coverage`, withSlot(state, at, { ...blankSlot, worker, seen }))
      continue
    }
    for (const choice of offers(state, config, worker)) {
      if (config.splitClaim) {
        const slot = { ...blankSlot, worker, choice }
        emit(`${name}${print(choice)}: reads coverage and leases`, withSlot(state, at, slot))
        continue
      }
      const taken = take(state, config, worker, choice)
      if (!taken) continue
      const joined = taken.slot.partner ? " with F" : ""
      emit(`${name}${print(choice)}${joined}`, withSlot(taken.state, at, taken.slot))
    }
  }
}

interface Place {
  readonly at: number
  readonly slot: Slot
}

const nameOf = ({ at, slot }: Place): string =>
  `p${at} ${workerNames[slot.worker]}${slot.partner ? "+F" : ""}${print(slot)}`

function turns(state: State, config: Config, place: Place, emit: Emit): void {
  const { at, slot } = place
  emit(`!p${at} crashes`, withSlot(state, at, null), true)
  if (inTransaction(slot) && state.left.freeze > 0) {
    const stopped = withSlot(spend(state, "freeze"), at, { ...slot, frozen: true })
    emit(`!p${at} is stopped in its open transaction`, stopped, true)
  }
  if (slot.at === CHOOSING) writeClaim(state, config, place, emit)
  else if (slot.at === CLAIMED) read(state, config, place, emit)
  else {
    if (slot.at === READY) givesUp(state, config, place, emit)
    commits(state, config, place, emit)
  }
}

/** The claim's write: what it looked at may be old by now. */
function writeClaim(state: State, config: Config, { at, slot }: Place, emit: Emit): void {
  const me = `p${at} ${workerNames[slot.worker]}`
  const choices: readonly Choice[] = slot.choice ? [slot.choice] : offers(state, config, slot.worker, slot.seen)
  if (choices.length === 0) emit(`${me} finds nothing to claim`, withSlot(state, at, null))
  for (const choice of choices) {
    const taken = take(state, config, slot.worker, choice)
    if (taken) {
      emit(`${me}${print(choice)} claimed`, withSlot(taken.state, at, taken.slot))
      if (namesConnections(config)) emit(`${me}${print(choice)} claimed too late`, heldUp(taken, config, at))
    } else emit(`${me}${print(choice)} claim lost`, withSlot(state, at, null))
  }
}

/** Its time was over before it came to light, between the reaper's two looks: the second fails it, and nobody has ended its connection yet. */
function heldUp({ state, slot }: Taken, config: Config, at: number): State {
  const side = sideOf(slot.worker)
  const leases = leasesOf(state, side).map((lease) => (isHolder(slot, lease) ? failed(lease) : lease))
  return withSlot(withLeases(state, side, leases), at, config.rules.secondLookEnds ? null : slot)
}

function read(state: State, config: Config, place: Place, emit: Emit): void {
  const { at, slot } = place
  const me = nameOf(place)
  if (slot.worker === RAW) {
    for (const { data, lagging } of answersFor(state, slot)) {
      const next = withSlot(lagging ? spend(state, "lag") : state, at, { ...slot, data, at: READY })
      emit(`${lagging ? "!" : ""}${me} fetched${lagging ? " from a lagging node" : ""}`, next, lagging)
    }
    return
  }
  if (slot.worker === F && config.foldsInCommit) {
    emit(`${me} goes to its commit`, withSlot(state, at, { ...slot, at: READY }))
    return
  }
  const covered = slot.worker === E ? state.raw.coverage : state.app.E | state.app.skipped
  if (config.rules.proof && !within(maskOf(slot), covered)) {
    emit(`${me} read: not covered, given up`, withSlot(state, at, null))
    return
  }
  const data = slot.worker === E ? extract(state, slot) : rowsIn(state, slot)
  // The lower of what the claim saw in app and the read in raw: app may be one ahead, in the middle of a rollback.
  const noted = slot.worker === E ? Math.min(slot.noted, state.raw.epoch) : slot.noted
  emit(`${me} read at epoch ${noted}`, withSlot(state, at, { ...slot, noted, data, at: READY }))
}

function extract(state: State, slot: Slot): number[] {
  const data: number[] = []
  for (let height = slot.from; height < slot.to; height++) {
    const block = state.raw.blocks[height]!
    data.push(block < 0 ? -1 : block + (has(state.app.fixed, height) ? 16 : 0))
  }
  return data
}

/** Before its commit a holder may fail, give its range back, or go on with fewer workers. */
function givesUp(state: State, config: Config, place: Place, emit: Emit): void {
  const { at, slot } = place
  const me = nameOf(place)
  const lease = heldLease(state, slot.worker, slot)
  if (config.splits && lease && lease.to - lease.from > 1 && !isLeaseLocked(state, config, lease)) {
    const parts = split(state, config, slot.worker, lease)
    emit(`${me} fails and is split`, withSlot(parts, at, null))
    emit(`!${me} is split, answer lost: goes on`, parts, true)
  }
  if (config.releases) {
    for (const how of ["released", "withdrawn"] as const) {
      const given = giveBack(state, config, { worker: slot.worker, token: slot, how })
      if (given) emit(`${me} ${how}`, withSlot(given, at, null))
    }
  }
  if (slot.partner) {
    // F fails, or is slow: it leaves the group, and E goes on alone.
    const given = giveBack(state, config, { worker: F, token: slot.partner, how: "withdrawn" })
    emit(`${me}: F leaves the group`, withSlot(given ?? state, at, { ...slot, partner: null }))
  }
}

function giveBack(
  state: State,
  config: Config,
  { worker, token, how }: { worker: Worker; token: Token; how: "released" | "withdrawn" },
): State | undefined {
  const side = sideOf(worker)
  const leases = leasesOf(state, side)
  const lease = config.rules.releaseFenced ? heldLease(state, worker, token) : leases.find(({ id }) => id === token.id)
  if (!lease || isLeaseLocked(state, config, lease)) return undefined
  const others = leases.filter((one) => one !== lease)
  return withLeases(
    state,
    side,
    how === "withdrawn" ? others : leases.map((one) => (one === lease ? failed(one) : one)),
  )
}

/** The next piece of the commit. */
function commits(state: State, config: Config, place: Place, emit: Emit): void {
  const { at, slot } = place
  if (slot.worker === RAW && !mayStore(state, config)) return
  const me = nameOf(place)
  const plan = config.plans[kindOf(slot)]!
  const piece = plan[slot.at - READY]!
  let mine = slot
  if (slot.worker === RAW && !config.rules.noteBeforeFetch && slot.at === READY)
    mine = { ...mine, noted: state.raw.epoch }
  for (const operation of piece) {
    const verdict = operations[operation](state, config, mine === slot ? slot : mine)
    if (verdict === "wait") return
    if (verdict) {
      emit(`${me} commit refused: ${verdict}`, withSlot(state, at, null))
      return
    }
    if (operation === "fold" && mine.data === null) mine = { ...mine, data: rowsIn(state, mine) }
  }
  if (slot.at - READY + 1 < plan.length) {
    emit(`${me} ${piece.join(", ")}`, withSlot(state, at, { ...mine, at: slot.at + 1 }))
    return
  }
  const stored = store(state, config, mine)
  emit(`${me} COMMITS`, withSlot(stored, at, null))
  // With its connection the holder has lost the range; only where less is assumed does it try again.
  if (!namesConnections(config))
    emit(`!${me} COMMITS, answer lost: tries again`, withSlot(stored, at, { ...slot, at: READY }), true)
}
