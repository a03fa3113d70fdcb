// The key of a state: two states with the same key behave alike. So it leaves out what no step can ever look at again:
// - lease ids, epochs and tokens are compared for equality only and never reused: a slot keeps which row it points at and whether its
//   token still fits; one whose token no longer fits is refused whatever it has read;
// - chain epochs count from the oldest that anybody remembers, and rollbacks before that, known to both sides, are forgotten;
// - slots of one kind are interchangeable, so they are sorted.

import type { Config } from "./config.js"
import { hasDone, inTransaction, stepSide } from "./locks.js"
import {
  type AppStore,
  CHOOSING,
  CLAIMED,
  faults,
  type Lease,
  leasesOf,
  RAW,
  type RawStore,
  type Rollback,
  type Slot,
  type State,
  sideOf,
  type Token,
  type Undoing,
} from "./state.js"
import { lacks } from "./steps/going-back.js"

const key: number[] = []
const none = -9
const end = -8

/** The array is used again by the next call. */
export function stateKey(state: State, config: Config): readonly number[] {
  const { exactIds } = config
  const base = exactIds ? 0 : oldestEpoch(state)
  const first = exactIds ? 0 : config.rules.freshIntentIds ? state.intents : state.raw.sequence
  key.length = 0
  key.push(state.chain.length, ...state.chain)

  const pushRollback = ({ id, from, to, epoch, back, repair }: Rollback): void => {
    key.push(id - first, from, to, epoch - base, (back ? 1 : 0) + (repair ? 2 : 0))
  }
  const pushRollbacks = (rollbacks: readonly Rollback[], others: readonly Rollback[]): void => {
    const odd = lacks(others, rollbacks)
    for (const one of rollbacks) if (exactIds || one.epoch > base || odd.includes(one)) pushRollback(one)
    key.push(end)
  }
  const pushLeases = (leases: readonly Lease[]): void => {
    key.push(leases.length)
    for (const { worker, from, to, status, id, epoch, token } of leases) {
      key.push(worker, from, to, status)
      if (exactIds) key.push(id, epoch, token)
    }
  }
  const pushRaw = (raw: RawStore): void => {
    key.push(raw.epoch - base, raw.coverage, raw.repaired, raw.wentBack ? 1 : 0, ...raw.blocks)
    if (exactIds || !config.rules.freshIntentIds) key.push(raw.sequence)
    if (raw.intent) pushRollback(raw.intent)
    else key.push(none)
    pushRollbacks(raw.rollbacks, state.app.rollbacks)
    pushLeases(raw.leases)
  }
  const pushApp = (app: AppStore): void => {
    key.push(app.epoch - base, app.copy, app.E, app.skipped, app.fixed, app.F, app.last, app.wentBack ? 1 : 0)
    key.push(...app.rows)
    for (const sum of app.sums) {
      key.push(sum.length)
      for (let i = 0; i < sum.length; i++) key.push(sum.charCodeAt(i))
    }
    pushRollbacks(app.rollbacks, state.raw.rollbacks)
    pushLeases(app.leases)
    if (exactIds) key.push(app.nextId)
  }
  const pushUndoing = ({ cut, why }: Undoing): void => {
    for (const { id } of state.app.leases) key.push(cut.includes(id) ? 1 : 0)
    if ("height" in why) key.push(why.height, why.isRepair ? 1 : 0)
    else {
      key.push(why.coverage, why.epoch - base, why.stale ? 1 : 0)
      for (const rollback of why.rollbacks) pushRollback(rollback)
    }
  }
  pushRaw(state.raw)
  pushApp(state.app)
  if (state.rawBackup) pushRaw(state.rawBackup)
  else key.push(none)
  if (state.appBackup) pushApp(state.appBackup)
  else key.push(none)

  pushBag(state.slots, (slot, into) => pushSlot(state, config, { slot, into, base }))
  pushBag(state.copiers, (copier, into) => {
    if (copier) into.push(copier.coverage, copier.epoch - base, copier.tested ? 1 : 0)
  })
  pushBag(state.watches, (watch, into) => {
    if (watch) into.push(watch.height, watch.epoch - base)
  })
  pushBag(state.rollbackers, (one, into) => {
    if (!one) return
    const { intent, step, open, frozen, cut } = one
    for (const { id } of leasesOf(state, stepSide[step])) into.push(cut.includes(id) ? 1 : 0)
    into.push(intent.id - first, intent.from, intent.to, intent.epoch - base, intent.back ? 1 : 0)
    into.push(intent.repair ? 1 : 0, step, open ? 1 : 0, frozen ? 1 : 0)
  })
  const { comparer } = state
  if (comparer) {
    key.push(comparer.epoch - base, comparer.copy, comparer.stale ? 1 : 0)
    for (const rollback of comparer.rollbacks) pushRollback(rollback)
  }
  key.push(none)
  if (state.undoing) pushUndoing(state.undoing)
  key.push(end)
  for (const fault of faults) key.push(state.left[fault])
  if (state.broken) key.push(-7)
  return key
}

function oldestEpoch(state: State): number {
  let base = Math.min(state.raw.epoch, state.app.epoch)
  const remember = (epoch: number): void => {
    if (epoch < base) base = epoch
  }
  for (const slot of state.slots) if (slot && slot.at >= CLAIMED) remember(slot.noted)
  for (const copier of state.copiers) if (copier) remember(copier.epoch)
  for (const watch of state.watches) if (watch) remember(watch.epoch)
  for (const one of state.rollbackers) if (one) remember(one.intent.epoch - 1)
  if (state.comparer) remember(state.comparer.epoch)
  if (state.undoing && "epoch" in state.undoing.why) remember(state.undoing.why.epoch)
  if (state.appBackup) remember(state.appBackup.epoch)
  if (state.rawBackup) remember(state.rawBackup.epoch)
  return base
}

function pushBag<T>(list: readonly (T | null)[], print: (one: T | null, into: number[]) => void): void {
  if (list.length <= 1) {
    if (list.length === 1) print(list[0]!, key)
    key.push(end)
    return
  }
  const printed = list.map((one) => {
    const into: number[] = []
    print(one, into)
    return into
  })
  for (const one of printed.sort(compare)) key.push(...one, end)
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!
  return a.length - b.length
}

function pushSlot(
  state: State,
  config: Config,
  { slot, into, base }: { slot: Slot | null; into: number[]; base: number },
): void {
  if (!slot) {
    into.push(-1)
    return
  }
  const leases = leasesOf(state, sideOf(slot.worker))
  if (slot.at === CHOOSING) {
    into.push(-2, slot.worker, slot.seen)
    const { choice } = slot
    if (choice) into.push(choice.from, choice.to, choice.id && leases.findIndex(({ id }) => id === choice.id) + 2)
    return
  }
  const backup = slot.worker === RAW ? state.rawBackup : state.appBackup
  const own = rowOf(leases, slot)
  // A restore brings these rows back.
  const old = backup ? rowOf(backup.leases, slot) : gone
  into.push(slot.worker, slot.from, slot.to, slot.at, slot.frozen ? 1 : 0, old.fits ? old.row : -1)
  let isOver = !own.fits && !old.fits
  if (slot.partner) {
    const partner = rowOf(leases, slot.partner)
    const oldPartner = backup ? rowOf(backup.leases, slot.partner) : gone
    into.push(partner.row, partner.fits ? 1 : 0, oldPartner.fits ? oldPartner.row : -1)
    isOver = isOver && config.rules.groupWhole
  } else into.push(none)
  if (config.exactIds) into.push(slot.id, slot.epoch, slot.token)
  else if (isOver && config.rules.fence === "token" && !isPastItsTest(config, slot)) {
    // Released without its token it could still act on the row.
    into.push(-4, config.rules.releaseFenced ? -1 : own.row)
    return
  }
  into.push(own.row, own.fits ? 1 : 0, slot.noted - base)
  if (slot.data) into.push(...slot.data)
}

const isPastItsTest = (config: Config, slot: Slot): boolean => inTransaction(slot) && hasDone(config, slot, "lease")

const gone = { row: -1, fits: false }

function rowOf(leases: readonly Lease[], token: Token): { row: number; fits: boolean } {
  const row = leases.findIndex(({ id }) => id === token.id)
  if (row < 0) return gone
  const { epoch, token: issued } = leases[row]!
  return { row, fits: epoch === token.epoch && issued === token.token }
}
