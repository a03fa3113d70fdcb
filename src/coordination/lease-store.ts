// The contract of claims: claim, renew, release, reap; and what an operator can do to a lease. PROTOCOL.md says what each
// promises, and test/conformance/lease-store.ts tests it on Postgres and on the model. Nothing here depends on Postgres.

import type { BlockRange } from "../domain/block-range.js"
import type { ErrorCode } from "../platform/errors.js"

export type LeaseStatus = "ACTIVE" | "COMPLETED" | "FAILED" | "DEAD"

/** The fencing token: identifies one claim of one range, and ends with any change of either. */
export interface LeaseToken {
  readonly id: string
  readonly epoch: string
}

export interface Lease extends LeaseToken {
  readonly worker: string
  readonly range: BlockRange
  readonly attempt: number
  readonly ttlMs: number
  /** The chain's epoch at the claim: the commit is refused if a newer rollback reaches the range. */
  readonly chainEpoch: number
  /** Workers that must cover the range, at the claim and again at the commit. */
  readonly dependencies: readonly string[]
}

export interface ClaimRequest {
  readonly worker: string
  readonly holder: string
  /** Where to claim, in order of preference. Heights outside are never claimed. */
  readonly regions: readonly BlockRange[]
  /** A new lease never crosses a multiple of this. */
  readonly rangeSize: number
  /** A new lease is at most this long. */
  readonly maxBlocks: number
  readonly order: "oldest" | "newest"
  /** Nothing new above an unfinished range: the head follower keeps its order. */
  readonly inOrder?: boolean
  readonly ttlMs: number
  /** Workers that must have covered every height of the range. */
  readonly dependencies: readonly string[]
}

/** A worker that may take part in a claim. */
export interface ClaimMember {
  readonly worker: string
  readonly dependencies: readonly string[]
  /** The most ranges of this worker that may be held at once, by all processes. */
  readonly concurrency?: number
}

/**
 * One range for several workers: the one that is furthest behind leads. Every worker with the same range to do joins, if its
 * dependencies cover the range or join too.
 */
export interface GroupClaimRequest extends Omit<ClaimRequest, "worker" | "dependencies"> {
  /** Dependencies before their dependents. */
  readonly members: readonly ClaimMember[]
}

/**
 * failure: the range itself is at fault; counts as an attempt. bug: an error in Tidemark; the range is halved down to its
 * block, which costs no attempt and is never DEAD. outage: node or database unavailable. rollback: the chain moved.
 * shutdown: the holder stops. These three cost no attempt. withdrawn: nothing was tried, the range is a gap again.
 */
export type ReleaseCause = "failure" | "bug" | "outage" | "rollback" | "shutdown" | "withdrawn"

export interface ReleaseRequest {
  readonly cause: ReleaseCause
  readonly error?: { readonly code: ErrorCode | "BUG"; readonly message: string }
  /** The height at fault, where known. */
  readonly height?: number
}

export interface ReapOutcome {
  readonly expired: number
  readonly holdersEnded: number
  /** Sessions of expired leases that this role may not end. */
  readonly holdersLeft: number
  /** Blocks that became DEAD. */
  readonly dead: readonly { readonly worker: string; readonly height: number }[]
  readonly pruned: number
}

export interface LeaseRow extends LeaseToken {
  readonly worker: string
  readonly range: BlockRange
  readonly status: LeaseStatus
  readonly attempt: number
  readonly leasedBy: string | null
  readonly leasedForMs: number | null
  readonly expiresInMs: number | null
  readonly nextAttemptInMs: number | null
  readonly lastError: string | null
  readonly lastErrorCode: string | null
  readonly lastErrorAgoMs: number | null
}

export interface OperatorAct {
  readonly actor: string
  readonly worker: string
  readonly height: number
}

export interface LeaseStore {
  /** The next range to work on, or undefined when nothing is free. */
  claim(request: ClaimRequest): Promise<Lease | undefined>
  /** The same for several workers at once: their leases, all on one range, in the order of the members. */
  claimGroup(request: GroupClaimRequest): Promise<readonly Lease[]>
  /** Extends the leases that are still held, and returns them. */
  renew(tokens: readonly LeaseToken[]): Promise<readonly LeaseToken[]>
  /** Ends a lease without a commit. Returns false when it was no longer held: then nothing changed. */
  release(lease: Lease, request: ReleaseRequest): Promise<boolean>
  /** Fails expired leases and those of dead holders, and deletes finished ones after a day. */
  reap(): Promise<ReapOutcome>
}

/** Both are audited. */
export interface OperatedLeases {
  /** Makes a DEAD or FAILED lease due at once. Returns false when there is none at this height. */
  retry(act: OperatorAct): Promise<boolean>
  /** Counts a DEAD block as done without data; status reports it as missing. Returns false when there is none. */
  skip(act: OperatorAct): Promise<boolean>
}
