// What an open transaction has locked, and the order of a commit's statements. Who holds what follows from how far a
// slot has come: nothing else keeps account of locks.

import type { Config } from "./config.js"
import {
  ACTIVE,
  CHOOSING,
  CLAIMED,
  E,
  F,
  type Lease,
  RAW,
  READY,
  type Side,
  type Slot,
  type State,
  sideOf,
  type Token,
  type Worker,
  workerNames,
} from "./state.js"

/**
 * rows: new rows, under unique keys. lock: the chain's, shared. rollback, intent, gate: tests. fold: changes of rows that others change
 * too. lease: the token is tested and the row completed. seam: neighbours compared. add: coverage.
 */
export type Operation = "rows" | "lock" | "rollback" | "intent" | "gate" | "fold" | "lease" | "seam" | "add"

/** raw, E, F, and E with F as a group. */
export type Kind = 0 | 1 | 2 | 3
export const kindOf = (slot: Slot): Kind => (slot.partner ? 3 : slot.worker)
const leadOf: readonly Worker[] = [RAW, E, F, E]

export type Plan = readonly (readonly Operation[])[]

/**
 * The statements of a commit by the rules in force, in pieces that others can come between. Grain "txn": one piece. "stmt": a piece for each
 * interleaving that can matter. "locks": the taking of the chain's lock is a piece of its own too.
 */
export function planCommits({ rules, grain }: Pick<Config, "rules" | "grain">): readonly Plan[] {
  return ([0, 1, 2, 3] as const).map((kind): Plan => {
    const lead = leadOf[kind]!
    const folds = kind >= F
    const rows: Operation[] = kind === F ? [] : ["rows"]
    const lock: Operation[] = rules.sharedLock[lead] ? ["lock"] : []
    const tests: Operation[] = lead === RAW ? ["rollback", "intent"] : ["rollback", "gate"]
    const early: Operation[] = lead === RAW && rules.seam === "early" ? ["seam"] : []
    const late: Operation[] = lead === RAW && rules.seam !== "early" ? ["seam"] : []
    const before: Operation[] = folds && !rules.foldLockFirst ? [...rows, "fold"] : rows
    const after: Operation[] = folds && rules.foldLockFirst ? ["fold"] : []
    const end: Plan = [
      ["lease", ...early],
      [...late, "add"],
    ]
    const pieces = (): Plan => {
      if (!rules.testsAfterLock) return [[...before, ...tests], lock, after, ...end]
      switch (grain[workerNames[lead]] ?? "txn") {
        case "txn":
          return [[...before, ...lock, ...tests, ...after, ...end.flat()]]
        case "stmt":
          return [[...before, ...lock, ...tests, ...after], ...end]
        case "locks":
          return [before, [...lock, ...tests, ...after], ...end]
      }
    }
    return pieces().filter((piece) => piece.length > 0)
  })
}

/** Whether a slot's transaction has done an operation. */
export function hasDone(config: Config, slot: Slot, operation: Operation): boolean {
  const plan = config.plans[kindOf(slot)]!
  for (let i = 0; i < slot.at - READY; i++) if (plan[i]!.includes(operation)) return true
  return false
}

export const inTransaction = (slot: Slot | null): slot is Slot => slot !== null && slot.at > READY

const pointsAt = (slot: Slot, { id }: { id: number }): boolean => slot.id === id || slot.partner?.id === id

/** Whether a slot's connection is the one that a lease names. */
export function isHolder(slot: Slot | null, lease: Lease): boolean {
  if (!slot || slot.at < CLAIMED || lease.status !== ACTIVE) return false
  if (sideOf(slot.worker) !== sideOf(lease.worker)) return false
  const fits = (token: Token): boolean => token.id === lease.id && token.epoch === lease.epoch
  return fits(slot) || (slot.partner !== null && fits(slot.partner))
}

/** Where processes can be stopped leases name their connections, so that those can be ended. Elsewhere less is assumed. */
export const namesConnections = ({ faults }: Config): boolean => Boolean(faults.freeze)

/** A commit has updated the row, or an undo has cut it, and not ended yet. */
export function isLeaseLocked(
  state: State,
  config: Config,
  lease: Pick<Lease, "id" | "worker">,
  except?: Slot,
): boolean {
  const side = sideOf(lease.worker)
  if (side === "app" && state.undoing?.cut.includes(lease.id)) return true
  if (state.rollbackers.some((one) => one?.open && stepSide[one.step] === side && one.cut.includes(lease.id)))
    return true
  return state.slots.some(
    (slot) =>
      slot !== except &&
      inTransaction(slot) &&
      sideOf(slot.worker) === side &&
      pointsAt(slot, lease) &&
      hasDone(config, slot, "lease"),
  )
}

/** Of the two steps of a rollback. */
export const stepSide: Readonly<Record<1 | 2, Side>> = { 1: "app", 2: "raw" }

/** In one database the chain has one lock. */
const isSameLock = (config: Config, a: Side, b: Side): boolean => config.oneDatabase || a === b

function isShared(state: State, config: Config, side: Side): boolean {
  return state.slots.some(
    (slot) => inTransaction(slot) && isSameLock(config, sideOf(slot.worker), side) && hasDone(config, slot, "lock"),
  )
}

export function isExclusive(state: State, config: Config, side: Side): boolean {
  if (state.undoing && isSameLock(config, "app", side)) return true
  return state.rollbackers.some((one) => one?.open && isSameLock(config, stepSide[one.step], side))
}

/** Whoever takes heights back, but for a rollback of both databases, keeps claims of app's workers away, */
export function claimsWait({ undoing }: State, { rules }: Config): boolean {
  if (!undoing) return false
  return "height" in undoing.why ? rules.claimsWait : rules.replayClaimsWait
}

/** and waits for those under way. */
export const isClaiming = (state: State): boolean =>
  state.slots.some((slot) => slot?.at === CHOOSING && slot.worker !== RAW)

export const mayExclude = (state: State, config: Config, side: Side): boolean =>
  !config.rules.exclusiveLock || (!isShared(state, config, side) && !isExclusive(state, config, side))
