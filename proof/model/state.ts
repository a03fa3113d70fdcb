// The states of the model: what the two databases hold, what each loop of work remembers, and what faults are left. Immutable: a step
// makes a new one. Sets of heights are bit masks, ranges half-open.

export const RAW = 0
export const E = 1
export const F = 2
/** raw_ingester, an extract (E: one row a block), a fold over its rows (F: a sum and a "last"). */
export type Worker = typeof RAW | typeof E | typeof F
export const workerNames = ["raw", "E", "F"] as const

export const ACTIVE = 0
export const FAILED = 1
export const DEAD = 2

export interface Range {
  readonly from: number
  readonly to: number
}

export interface Lease extends Range {
  readonly worker: Worker
  readonly status: number
  readonly id: number
  readonly epoch: number
  /** Never issued twice, as a uuid; 0 where a mutation takes that away. */
  readonly token: number
}

export interface Rollback extends Range {
  readonly id: number
  readonly epoch: number
  /** One block that is fetched again. */
  readonly repair?: boolean
  /** Opened because raw went back. */
  readonly back?: boolean
}

export interface RawStore {
  readonly epoch: number
  readonly intent: Rollback | null
  readonly rollbacks: readonly Rollback[]
  readonly coverage: number
  /** By height: version * 2 + whether its content was repaired; -1 for none. */
  readonly blocks: readonly number[]
  readonly repaired: number
  readonly leases: readonly Lease[]
  readonly nextId: number
  /** How many intents it has recorded: where ids come from if a mutation takes them from a sequence. */
  readonly sequence: number
  /** It was restored, and nobody has compared it with app since. */
  readonly wentBack: boolean
}

export interface AppStore {
  readonly epoch: number
  readonly rollbacks: readonly Rollback[]
  /** Of raw's coverage. */
  readonly copy: number
  readonly E: number
  readonly skipped: number
  /** Heights of which E's row has been repaired: its content is another from then on. */
  readonly fixed: number
  readonly rows: readonly number[]
  readonly F: number
  /** By height a signed bag of what was added ("+2 -0"), so that no two wrongs cancel out. */
  readonly sums: readonly string[]
  /** Position and value of the newest row, -1 for none. */
  readonly last: number
  readonly leases: readonly Lease[]
  readonly nextId: number
  readonly wentBack: boolean
}

export interface Token {
  readonly id: number
  readonly epoch: number
  readonly token: number
}

// Where a loop of work stands. From READY on it has done (at - READY) pieces of its commit.
export const CHOOSING = -1
export const CLAIMED = 0
export const READY = 1

/** The memory of one loop of work in one process, and its open transaction. A crash empties it. */
export interface Slot extends Range, Token {
  readonly worker: Worker
  /** F's lease on the same range, when E and F are done as a group. */
  readonly partner: Token | null
  readonly at: number
  /** The chain epoch noted: a newer rollback that reaches the range refuses the commit. */
  readonly noted: number
  readonly data: readonly number[] | null
  readonly frozen: boolean
  /** While CHOOSING: what the claim's one look chose; 0 as the id of a new lease. */
  readonly choice: (Range & { readonly id: number }) | null
  /** While CHOOSING, when a mutation reads coverage and leases apart: the coverage it saw. */
  readonly seen: number
}

/** One that has only its worker. */
export const blankSlot: Omit<Slot, "worker"> = {
  ...{ from: 0, to: 0, id: 0, epoch: 0, token: 0, partner: null, at: CHOOSING, noted: 0 },
  ...{ data: null, frozen: false, choice: null, seen: 0 },
}

/** A process that rolls back, with its own, perhaps old, memory of the intent. */
export interface Rollbacker {
  readonly intent: Rollback
  readonly step: 1 | 2
  /** Its transaction has the exclusive lock. */
  readonly open: boolean
  /** The leases it saw then and cuts: those claimed since are not among them. */
  readonly cut: readonly number[]
  readonly frozen: boolean
}

/** A process that compares the two databases, between its two reads. */
interface Comparer {
  readonly epoch: number
  readonly copy: number
  readonly rollbacks: readonly Rollback[]
  /** A database went back since: its answer counts for nothing. */
  readonly stale: boolean
}

/** A transaction in app that takes heights back, under the exclusive lock, between its cut of leases and its commit. */
export interface Undoing {
  /** The leases it saw and cut: those claimed since are not among them. */
  readonly cut: readonly number[]
  /** The height that is given back, or what a comparison of the databases saw of raw. */
  readonly why:
    | { readonly height: number; readonly isRepair: boolean }
    | (Pick<RawStore, "rollbacks" | "coverage" | "epoch"> & { readonly stale: boolean })
}

export const faults = ["lag", "die", "freeze", "repair", "fix", "restore", "rawBack"] as const
export type Fault = (typeof faults)[number]

export interface State {
  /** Reorganisation i replaced the blocks from chain[i - 1] up. */
  readonly chain: readonly number[]
  readonly raw: RawStore
  readonly app: AppStore
  readonly slots: readonly (Slot | null)[]
  /** Copiers of raw's coverage, between reading raw and writing app. */
  readonly copiers: readonly ({
    readonly coverage: number
    readonly epoch: number
    readonly tested: boolean
  } | null)[]
  /** Those who have seen a difference and have not recorded the intent yet. None: both are one step. */
  readonly watches: readonly ({ readonly height: number; readonly epoch: number } | null)[]
  /** None: a rollback step is done by whoever, with no memory of its own. */
  readonly rollbackers: readonly (Rollbacker | null)[]
  readonly comparer: Comparer | null
  readonly undoing: Undoing | null
  readonly appBackup: AppStore | null
  readonly rawBackup: RawStore | null
  readonly nextToken: number
  readonly intents: number
  readonly left: Readonly<Record<Fault, number>>
  /** Found while a step was taken, where no look at the state could find it. */
  readonly broken: string | null
}

/** Hands a possible next state over; `isFault` for what nobody can count on to happen. */
export type Emit = (label: string, next: State, isFault?: boolean) => void

export const mask = (from: number, to: number): number => ((1 << to) - 1) & ~((1 << from) - 1)
export const maskOf = ({ from, to }: Range): number => mask(from, to)
export const has = (set: number, height: number): boolean => ((set >> height) & 1) === 1
export const within = (small: number, large: number): boolean => (small & ~large) === 0
export const overlap = (a: Range, b: Range): boolean => a.from < b.to && b.from < a.to
export const put = <T>(list: readonly T[], at: number, value: T): readonly T[] => list.with(at, value)
export const print = ({ from, to }: Range): string => `[${from},${to})`

export type Side = "raw" | "app"
export const sideOf = (worker: Worker): Side => (worker === RAW ? "raw" : "app")
export const leasesOf = (state: State, side: Side): readonly Lease[] => state[side].leases

export function withRaw(state: State, change: Partial<RawStore>): State {
  return { ...state, raw: { ...state.raw, ...change } }
}
export function withApp(state: State, change: Partial<AppStore>): State {
  return { ...state, app: { ...state.app, ...change } }
}
export function withLeases(state: State, side: Side, leases: readonly Lease[]): State {
  return side === "raw" ? withRaw(state, { leases }) : withApp(state, { leases })
}
export function withSlot(state: State, at: number, slot: Slot | null): State {
  return { ...state, slots: put(state.slots, at, slot) }
}
export function spend(state: State, fault: Fault): State {
  return { ...state, left: { ...state.left, [fault]: state.left[fault] - 1 } }
}

export const coverageOf = (state: State, worker: Worker): number =>
  worker === RAW ? state.raw.coverage : worker === E ? state.app.E | state.app.skipped : state.app.F

/** Whether what a worker depends on covers a range. */
export function gateHolds(state: State, worker: Worker, range: Range): boolean {
  const upstream = worker === RAW ? -1 : worker === E ? state.app.copy : state.app.E | state.app.skipped
  return within(maskOf(range), upstream)
}

/** A fold's "last": the position and value of a row. */
export const position = (height: number, content: number): number => height * 32 + content

/** Adds to a bag, or takes from it. */
export function bag(text: string, content: number, sign: 1 | -1): string {
  const parts = text === "" ? [] : text.split(" ")
  const opposite = parts.indexOf(`${sign > 0 ? "-" : "+"}${content}`)
  if (opposite >= 0) parts.splice(opposite, 1)
  else parts.push(`${sign > 0 ? "+" : "-"}${content}`)
  return parts.sort().join(" ")
}
