// Claim, release, split and cut of leases, as src/coordination does them.

import type { Config } from "./config.js"
import { isLeaseLocked } from "./locks.js"
import {
  ACTIVE,
  type AppStore,
  blankSlot,
  CLAIMED,
  coverageOf,
  E,
  F,
  FAILED,
  gateHolds,
  has,
  type Lease,
  leasesOf,
  mask,
  maskOf,
  overlap,
  type Range,
  type Slot,
  type State,
  sideOf,
  type Token,
  type Worker,
  withApp,
  withRaw,
} from "./state.js"

export interface Choice extends Range {
  /** 0 for a new lease. */
  readonly id: number
}

const sorted = (leases: Lease[]): Lease[] =>
  leases.sort((a, b) => a.worker - b.worker || a.from - b.from || a.id - b.id)

/** What one look at coverage and leases offers: failed leases whose gate holds, and the first gated gap. */
export function offers(state: State, config: Config, worker: Worker, covered = coverageOf(state, worker)): Choice[] {
  const { rules, heights } = config
  const found: Choice[] = []
  let taken = covered
  for (const lease of leasesOf(state, sideOf(worker))) {
    if (lease.worker !== worker) continue
    taken |= maskOf(lease)
    if (lease.status !== FAILED) continue
    const { id, from, to } = lease
    // A claim whose region ends inside the failed range takes what lies in it.
    const parts = config.regions && to - from > 1 ? [lease, { from, to: from + 1 }, { from: from + 1, to }] : [lease]
    for (const part of parts) {
      if (!rules.claimGate || gateHolds(state, worker, part)) found.push({ id, from: part.from, to: part.to })
    }
  }
  const isOpen = (height: number): boolean =>
    height < heights &&
    !has(taken, height) &&
    (!rules.claimGate || gateHolds(state, worker, { from: height, to: height + 1 }))
  for (let from = 0; from < heights; from++) {
    if (!isOpen(from)) continue
    // Never across a multiple of RANGE_SIZE.
    const end = (Math.floor(from / config.rangeSize) + 1) * config.rangeSize
    let to = from + 1
    while (to < end && isOpen(to)) to++
    found.push({ id: 0, from, to })
    break
  }
  return found
}

/** F's part in a claim that E leads: it joins where it has exactly that range to do. */
function partnerChoice(state: State, range: Range): Choice | undefined {
  if (state.app.F & maskOf(range)) return undefined
  const met = state.app.leases.filter((lease) => lease.worker === F && overlap(lease, range))
  if (met.length === 0) return { id: 0, from: range.from, to: range.to }
  const [same] = met
  const isSame = same!.from === range.from && same!.to === range.to && same!.status === FAILED
  return isSame ? { id: same!.id, from: range.from, to: range.to } : undefined
}

export interface Taken {
  readonly state: State
  readonly slot: Slot
}

/** The writing half of a claim; undefined when the row is no longer there to take. */
export function take(state: State, config: Config, worker: Worker, choice: Choice): Taken | undefined {
  const lead = takeOne(state, config, worker, choice)
  if (!lead) return undefined
  const slot: Slot = {
    ...{ ...blankSlot, worker, from: choice.from, to: choice.to, at: CLAIMED, ...lead.token },
    // Before the node is asked: the lease carries its own database's epoch of this moment.
    noted: state[sideOf(worker)].epoch,
  }
  const joins = config.group && worker === E ? partnerChoice(state, choice) : undefined
  const partner = joins && takeOne(lead.state, config, F, joins)
  return partner ? { state: partner.state, slot: { ...slot, partner: partner.token } } : { state: lead.state, slot }
}

function takeOne(
  state: State,
  config: Config,
  worker: Worker,
  choice: Choice,
): { state: State; token: Token } | undefined {
  const side = sideOf(worker)
  const leases = leasesOf(state, side)
  const token = config.rules.freshTokens ? state.nextToken : 0
  let { nextId } = state[side]
  let taken: Lease
  let others: Lease[]
  if (choice.id === 0) {
    if (config.rules.exclusion && leases.some((lease) => lease.worker === worker && overlap(lease, choice)))
      return undefined
    taken = { ...choice, worker, status: ACTIVE, id: nextId++, epoch: 1, token }
    others = [...leases]
  } else {
    const old = leases.find(({ id }) => id === choice.id)
    if (!old || old.status !== FAILED || isLeaseLocked(state, config, old)) return undefined
    taken = { ...old, from: choice.from, to: choice.to, status: ACTIVE, epoch: old.epoch + 1, token }
    others = leases.filter((lease) => lease !== old)
    for (const rest of outside(old, choice)) others.push({ ...old, ...rest, id: nextId++, epoch: 1, token: 0 })
  }
  const change = { leases: sorted([...others, taken]), nextId }
  const next = side === "raw" ? withRaw(state, change) : withApp(state, change)
  return {
    state: { ...next, nextToken: state.nextToken + 1 },
    token: { id: taken.id, epoch: taken.epoch, token },
  }
}

/** What of a range lies outside another. */
function outside(range: Range, removed: Range): Range[] {
  const parts = [
    { from: range.from, to: Math.min(range.to, removed.from) },
    { from: Math.max(range.from, removed.to), to: range.to },
  ]
  return parts.filter(({ from, to }) => from < to)
}

/** The lease a token stands for, if it still does. */
export function heldLease(state: State, worker: Worker, token: Token): Lease | undefined {
  const lease = leasesOf(state, sideOf(worker)).find(({ id }) => id === token.id)
  const isHeld = lease?.status === ACTIVE && lease.epoch === token.epoch && lease.token === token.token
  return isHeld ? lease : undefined
}

export const failed = (lease: Lease): Lease => ({ ...lease, status: FAILED, epoch: lease.epoch + 1 })

/** A failing range is split by its holder: the parent shrinks, the rest becomes a lease of its own, both due again. */
export function split(state: State, config: Config, worker: Worker, lease: Lease): State {
  const side = sideOf(worker)
  const at = lease.from + 1
  const parent = config.rules.splitFences ? failed({ ...lease, to: at }) : { ...lease, to: at }
  const part: Lease = { ...lease, from: at, status: FAILED, id: state[side].nextId, epoch: 1, token: 0 }
  const leases = sorted([...leasesOf(state, side).filter((one) => one !== lease), parent, part])
  const change = { leases, nextId: state[side].nextId + 1 }
  return side === "raw" ? withRaw(state, change) : withApp(state, change)
}

/** Those that a cut would find now. */
export const touched = ({ leases }: Pick<AppStore, "leases">, removed: number): readonly number[] =>
  leases.filter((lease) => (maskOf(lease) & removed) !== 0).map(({ id }) => id)

/** Leases on removed heights: inside they go; what reaches beyond is cut there and due again, its holder's right over. */
export function cut<Store extends { readonly leases: readonly Lease[]; readonly nextId: number }>(
  store: Store,
  config: Config,
  { removed, workers, only }: { removed: Range; workers: readonly Worker[]; only?: readonly number[] | undefined },
): Store {
  if (!config.rules.cutLeases) return store
  let { nextId } = store
  const leases: Lease[] = []
  for (const lease of store.leases) {
    const isSeen = only?.includes(lease.id) ?? true
    if (!workers.includes(lease.worker) || !overlap(lease, removed) || !isSeen) {
      leases.push(lease)
      continue
    }
    const [first, ...others] = outside(lease, removed)
    if (!first) continue
    leases.push(config.rules.cutFences ? failed({ ...lease, ...first }) : { ...lease, ...first })
    for (const part of others) leases.push({ ...lease, ...part, status: FAILED, id: nextId++, epoch: 1, token: 0 })
  }
  return { ...store, leases: sorted(leases), nextId }
}

/** Whether an unfinished lease lies over heights that are done. */
export const meetsCoverage = (state: State, lease: Lease): boolean =>
  (mask(lease.from, lease.to) & coverageOf(state, lease.worker)) !== 0
