// The operations of a commit (src/coordination/postgres/commit-group.ts), and what it writes once nothing refused it.

import { parentVersion, versionOf } from "./chain.js"
import type { Config } from "./config.js"
import { hasDone, inTransaction, isExclusive, isLeaseLocked, type Operation } from "./locks.js"
import {
  ACTIVE,
  bag,
  E,
  F,
  gateHolds,
  has,
  type Lease,
  leasesOf,
  maskOf,
  overlap,
  position,
  RAW,
  type Slot,
  type State,
  sideOf,
  type Token,
  type Worker,
  withApp,
  withRaw,
} from "./state.js"

/** null: go on. "wait": a lock is held by another. Any other text: refused, and why. */
type Verdict = string | null
type Test = (state: State, config: Config, slot: Slot) => Verdict

const folds = (slot: Slot): boolean => slot.worker === F || slot.partner !== null

/** Another open transaction that has done an operation. */
function another(
  state: State,
  config: Config,
  slot: Slot,
  operation: Operation,
  meets: (other: Slot) => boolean,
): boolean {
  return state.slots.some(
    (other) => other !== slot && inTransaction(other) && hasDone(config, other, operation) && meets(other),
  )
}

export const operations: Readonly<Record<Operation, Test>> = {
  rows: (state, config, slot) =>
    another(state, config, slot, "rows", (other) => other.worker === slot.worker && overlap(other, slot))
      ? "wait"
      : null,

  fold: (state, config, slot) => (another(state, config, slot, "fold", folds) ? "wait" : null),

  lock: (state, config, slot) => (isExclusive(state, config, sideOf(slot.worker)) ? "wait" : null),

  rollback: (state, config, slot) => {
    if (!config.rules.rollbackCheck[slot.worker]) return null
    const reaches = state[sideOf(slot.worker)].rollbacks.some(
      (rollback) => rollback.epoch > slot.noted && overlap(rollback, slot),
    )
    return reaches ? "a newer rollback reaches the range" : null
  },

  intent: (state, config, slot) => {
    const { intent } = state.raw
    return config.rules.intentRefuses && intent && overlap(intent, slot) ? "an intent is open" : null
  },

  // A dependency that commits with it counts: in a group only E's own is asked for.
  gate: (state, config, slot) =>
    !config.rules.gateAtCommit || gateHolds(state, slot.worker, slot) ? null : "a dependency no longer covers it",

  lease: (state, config, slot) => {
    const held = (worker: Worker, token: Token): Verdict => {
      if (isLeaseLocked(state, config, { id: token.id, worker }, slot)) return "wait"
      return isMine(state, config, { worker, token, slot }) ? null : "the lease is no longer held"
    }
    const own = held(slot.worker, slot)
    if (own || !slot.partner || !config.rules.groupWhole) return own
    return held(F, slot.partner)
  },

  seam: (state, config, slot) => {
    const { seam } = config.rules
    if (seam === "none") return null
    const { coverage, blocks } = state.raw
    const { from, to } = slot
    const first = slot.data![0]!
    const last = slot.data!.at(-1)!
    if (seam !== "up" && from > 0 && has(coverage, from - 1)) {
      if (versionOf(blocks[from - 1]!) !== parentVersion(state, from, first)) return "the seam below"
    }
    if (seam !== "down" && to < config.heights && has(coverage, to)) {
      if (parentVersion(state, to, blocks[to]!) !== versionOf(last)) return "the seam above"
    }
    return null
  },

  add: () => null,
}

function isMine(
  state: State,
  config: Config,
  { worker, token, slot }: { worker: Worker; token: Token; slot: Slot },
): boolean {
  const { fence, fenceRange } = config.rules
  if (fence === "none") return true
  const lease = leasesOf(state, sideOf(worker)).find(({ id }) => id === token.id)
  if (lease?.status !== ACTIVE) return false
  if (fenceRange && (lease.from !== slot.from || lease.to !== slot.to)) return false
  return fence === "id" || (lease.epoch === token.epoch && lease.token === token.token)
}

/** The rows a fold finds in its range. */
export const rowsIn = (state: State, { from, to }: Slot): readonly number[] => state.app.rows.slice(from, to)

export function store(state: State, config: Config, slot: Slot): State {
  if (slot.worker === RAW) return storeBlocks(state, config, slot)
  const extracted = slot.worker === E ? storeRows(state, config, slot) : state
  return folds(slot) ? fold(extracted, config, slot) : extracted
}

/** The leases that are left: those that the commit's own statement completes are gone. */
function without(state: State, config: Config, slot: Slot, worker: Worker, token: Token): readonly Lease[] {
  const isCompleted = isMine(state, config, { worker, token, slot })
  return leasesOf(state, sideOf(worker)).filter(({ id }) => id !== token.id || !isCompleted)
}

function storeBlocks(state: State, config: Config, slot: Slot): State {
  const blocks = [...state.raw.blocks]
  let { broken } = state
  for (const [i, content] of slot.data!.entries()) {
    if (blocks[slot.from + i]! >= 0) broken = `(1) raw block ${slot.from + i} stored twice`
    blocks[slot.from + i] = content
  }
  const coverage = state.raw.coverage | maskOf(slot)
  return {
    ...withRaw(state, { blocks, coverage, leases: without(state, config, slot, slot.worker, slot) }),
    broken,
  }
}

function storeRows(state: State, config: Config, slot: Slot): State {
  const rows = [...state.app.rows]
  let { broken } = state
  for (const [i, content] of slot.data!.entries()) {
    if (rows[slot.from + i]! >= 0) broken = `(1) event row ${slot.from + i} stored twice`
    rows[slot.from + i] = content
  }
  const leases = without(state, config, slot, slot.worker, slot)
  return { ...withApp(state, { rows, E: state.app.E | maskOf(slot), leases }), broken }
}

function fold(state: State, config: Config, slot: Slot): State {
  const sums = [...state.app.sums]
  let { last } = state.app
  for (const [i, content] of slot.data!.entries()) {
    // A skipped block has no row.
    if (content < 0) continue
    const height = slot.from + i
    sums[height] = bag(sums[height]!, content, 1)
    // Strictly newer.
    if (last < 0 || height > last >> 5) last = position(height, content)
  }
  const leases = without(state, config, slot, F, slot.partner ?? slot)
  return withApp(state, { sums, last, F: state.app.F | maskOf(slot), leases })
}
