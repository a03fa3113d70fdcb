// One world for the model to run in: how many heights, which workers, which faults, and which rules are in force.

import { type Plan, planCommits } from "./locks.js"
import { E, F, type Fault, has, mask, position, type State, type Worker, workerNames } from "./state.js"

/** rules.ts says what each means, what keeps it and what tests it; any other value is a mutation. */
export const everyRule = {
  exclusion: true,
  claimLock: true,
  claimOneSnapshot: true,
  claimGate: true,
  proof: true,
  noteBeforeFetch: true,
  fence: "token" as "token" | "id" | "none",
  fenceRange: true,
  groupWhole: true,
  rollbackCheck: [true, true, true] as readonly [boolean, boolean, boolean],
  testsAfterLock: true,
  gateAtCommit: true,
  intentRefuses: true,
  seam: "locked" as "locked" | "early" | "up" | "down" | "none",
  sharedLock: [true, true, true] as readonly [boolean, boolean, boolean],
  foldLockFirst: true,
  copyEpoch: true,
  copyLocked: true,
  copyUnion: true,
  exclusiveLock: true,
  appFirst: true,
  stepsOnce: true,
  detect: "lowest" as "lowest" | "tip",
  intentCas: true,
  cutLeases: true,
  cutFences: true,
  cutEnds: true,
  splitFences: true,
  releaseFenced: true,
  undo: "covered" as "covered" | "removed",
  undoFirst: true,
  probe: "covered" as "covered" | "any",
  undoOnRetry: true,
  retryFences: true,
  retryLocked: true,
  claimsWait: true,
  replayClaimsWait: true,
  repairEpoch: true,
  reaperEnds: true,
  plainLook: true,
  oneCutoff: true,
  secondLookEnds: true,
  idleTimeout: true,
  freshTokens: true,
  replay: true,
  comparesCoverage: true,
  comparesHistory: true,
  comparesFirst: true,
  epochAboveBoth: true,
  freshIntentIds: true,
}

/** The rules in force. */
export type Rules = Readonly<typeof everyRule>

/** fine: claim, read and each piece of the commit are steps. auto: one step from claim to commit, whose inside is another's business. */
type Detail = "off" | "auto" | "fine"
type Grain = "txn" | "stmt" | "locks"
type WorkerName = (typeof workerNames)[number]

/** What a configuration says; the rest is as in `configure`. */
export interface Setup {
  readonly heights: number
  readonly workers: Partial<Record<WorkerName, Detail>>
  /** RANGE_SIZE. */
  readonly rangeSize?: number
  /** Loops that run at once. */
  readonly slots?: number
  readonly copiers?: number
  readonly watches?: number
  readonly rollbackers?: number
  /** Blocks that are stored, derived and folded at the start. */
  readonly start?: number
  readonly reorgs?: number
  readonly depths?: readonly number[]
  readonly grain?: Partial<Record<WorkerName, Grain>>
  /** How many of each fault may happen. */
  readonly faults?: Partial<Record<Fault, number>>
  /** Reading and writing of a claim are two steps. */
  readonly splitClaim?: boolean
  /** Claims whose region ends inside a failed range. */
  readonly regions?: boolean
  readonly splits?: boolean
  readonly releases?: boolean
  /** E and F take ranges together. */
  readonly group?: boolean
  /** F reads its rows in its commit, under the lock, as folds do; else before, as an extract that reads rows of others does. */
  readonly foldsInCommit?: boolean
  /** What F makes are rows of its own, as an extract over rows of others has: they go by delete, and no sum remembers them. */
  readonly derivesRows?: boolean
  readonly skips?: boolean
  readonly oneDatabase?: boolean
  /** A rollback's transaction can be stopped with its lock. */
  readonly openRollback?: boolean
  /** Others can come between the cut of leases and the commit, where heights are given back or a rollback is replayed. */
  readonly openUndo?: boolean
  /** Lease numbers as they are: needed where a restore brings old ones back; the space is then endless. */
  readonly exactIds?: boolean
}

export interface Config extends Required<Omit<Setup, "workers" | "grain" | "faults">> {
  readonly workers: Readonly<Record<WorkerName, Detail>>
  readonly grain: Partial<Record<WorkerName, Grain>>
  readonly faults: Partial<Record<Fault, number>>
  readonly rules: Rules
  readonly plans: readonly Plan[]
  /** Leave out what nothing rests on. */
  readonly hardOnly: boolean
}

const defaults = {
  rangeSize: 1,
  slots: 2,
  copiers: 1,
  watches: 0,
  rollbackers: 0,
  start: 0,
  reorgs: 1,
  depths: [1, 2],
  splitClaim: false,
  regions: false,
  splits: false,
  releases: false,
  group: false,
  skips: false,
  foldsInCommit: false,
  derivesRows: false,
  oneDatabase: false,
  openRollback: false,
  openUndo: false,
  exactIds: false,
}

export function configure(
  setup: Setup,
  { rules: changed = {}, hardOnly = false }: { rules?: Partial<Rules>; hardOnly?: boolean } = {},
): Config {
  const rules = { ...everyRule, ...changed }
  const grain = setup.grain ?? {}
  return {
    ...defaults,
    ...setup,
    ...{ grain, faults: setup.faults ?? {}, rules, hardOnly, plans: planCommits({ rules, grain }) },
    workers: { raw: "off", E: "off", F: "off", ...setup.workers },
  }
}

export const isOn = (config: Config, worker: Worker): boolean => config.workers[workerNames[worker]] !== "off"

/** Whether a database can go back in this world. */
export const canGoBack = ({ faults }: Config): boolean => Boolean(faults.restore || faults.rawBack)

export function initialState(config: Config): State {
  const { heights, start } = config
  const stored = mask(0, start)
  const e = isOn(config, E) ? stored : 0
  const f = isOn(config, F) ? stored : 0
  const each = <T>(make: (height: number) => T): T[] => Array.from({ length: heights }, (_, h) => make(h))
  return {
    chain: [],
    raw: {
      ...{ epoch: 0, intent: null, rollbacks: [], coverage: stored, repaired: 0, leases: [], nextId: 1 },
      ...{ sequence: 0, wentBack: false, blocks: each((h) => (h < start ? 0 : -1)) },
    },
    app: {
      ...{ epoch: 0, rollbacks: [], copy: e, E: e, skipped: 0, fixed: 0, F: f, leases: [], nextId: 1 },
      rows: each((h) => (has(e, h) ? 0 : -1)),
      sums: each((h) => (has(f, h) ? "+0" : "")),
      last: f ? position(start - 1, 0) : -1,
      wentBack: false,
    },
    slots: Array(config.slots).fill(null),
    copiers: Array(isOn(config, E) ? config.copiers : 0).fill(null),
    watches: Array(config.watches).fill(null),
    rollbackers: Array(config.rollbackers).fill(null),
    ...{ comparer: null, undoing: null, appBackup: null, rawBackup: null, nextToken: 1, intents: 0, broken: null },
    left: { lag: 0, die: 0, freeze: 0, repair: 0, fix: 0, restore: 0, rawBack: 0, ...config.faults },
  }
}
