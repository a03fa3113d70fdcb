// Claims one range, holds its leases, runs the work on it and releases what was not done. The only place that maps an error
// to a release cause. Keeps one database connection, on which it claims and commits.

import { type BlockRange, formatRange } from "../domain/block-range.js"
import type { Clock } from "../platform/clock.js"
import { describeError, type ErrorCode, IndexerError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import type { SqlConnection } from "../postgres/sql-connection.js"
import type { FencedCommits } from "./fenced-commits.js"
import type { LeaseKeeper } from "./lease-keeper.js"
import type { GroupClaimRequest, Lease, LeaseStore, ReleaseCause } from "./lease-store.js"
import { WorkerFault } from "./worker-fault.js"

export interface LeasedRangeRunnerOptions {
  readonly connect: () => Promise<SqlConnection>
  readonly leasesOn: (connection: SqlConnection) => LeaseStore & FencedCommits<SqlConnection>
  readonly keeper: LeaseKeeper
  readonly clock: Pick<Clock, "monotonic">
  readonly logger: Logger
  readonly holder: string
  readonly rangeSize: number
  /** Workers that come with Tidemark: whatever fails in one is a bug, not a user's failure. */
  readonly builtIn?: ReadonlySet<string>
  /** A range that no worker is charged for: `noted` stays FAILED with its cause and waits; `withdrawn` is a gap again. */
  readonly uncharged: "noted" | "withdrawn"
  /** Called for each charged worker, after its range was released. */
  readonly onCharged?: (charge: Charge, connection: SqlConnection) => Promise<void>
}

export interface Charge {
  readonly worker: string
  readonly range: BlockRange
  /** The block at fault, where known. */
  readonly height: number | undefined
  readonly code: ErrorCode | "BUG"
  readonly error: unknown
}

export interface RangeTask<Result> {
  readonly claim: Omit<GroupClaimRequest, "holder" | "rangeSize">
  work(claimed: ClaimedRange): Promise<RangeDone<Result>>
}

interface ClaimedRange {
  readonly range: BlockRange
  readonly claimed: readonly Lease[]
  readonly commits: FencedCommits<SqlConnection>
  readonly connection: SqlConnection
  /** Aborts when a lease may have expired, or when the runner stops. */
  readonly signal: AbortSignal
}

export interface RangeDone<Result> {
  readonly result: Result
  /** Leases that were not committed. */
  readonly dropped?: readonly { readonly lease: Lease; readonly fault?: WorkerFault }[]
}

export interface FailedRange {
  readonly kind: "failed"
  readonly range: BlockRange
  readonly attempt: number
  readonly cause: ReleaseCause
  readonly error: unknown
}

export type RangeOutcome<Result> =
  | { readonly kind: "idle" }
  /** Committed for at least one worker. */
  | { readonly kind: "done"; readonly range: BlockRange; readonly result: Result }
  | FailedRange

export class LeasedRangeRunner {
  private open: SqlConnection | undefined
  private working: Promise<unknown> = Promise.resolve()

  constructor(private readonly options: LeasedRangeRunnerOptions) {}

  async connection(): Promise<SqlConnection> {
    if (!this.open || this.open.closed) this.open = await this.options.connect()
    return this.open
  }

  /** Resolves when no range is in progress. */
  async idle(): Promise<void> {
    await this.working
  }

  async close(): Promise<void> {
    await this.open?.end()
  }

  /** One range at most. `plan` returns what to claim, or undefined when there is nothing to do. */
  run<Result>(
    plan: (connection: SqlConnection) => Promise<RangeTask<Result> | undefined>,
    signal: AbortSignal,
  ): Promise<RangeOutcome<Result>> {
    const outcome = this.claimAndWork(plan, signal)
    this.working = outcome.catch(() => undefined)
    return outcome
  }

  private async claimAndWork<Result>(
    plan: (connection: SqlConnection) => Promise<RangeTask<Result> | undefined>,
    signal: AbortSignal,
  ): Promise<RangeOutcome<Result>> {
    const { leasesOn, keeper, clock, holder, rangeSize } = this.options
    const connection = await this.connection()
    const task = await plan(connection)
    if (!task) return { kind: "idle" }
    const leases = leasesOn(connection)
    const sentAt = clock.monotonic()
    const claimed = await leases.claimGroup({ ...task.claim, holder, rangeSize })
    const [first] = claimed
    if (!first) return { kind: "idle" }
    const { range, attempt } = first
    const held = keeper.hold(claimed, { sentAt, signal })
    // A rejected promise cancels nothing on the server. Only a closed connection can never commit later.
    const cut = (): void => connection.destroy()
    held.signal.addEventListener("abort", cut, { once: true })
    try {
      const work = task.work({ range, claimed, commits: leases, connection, signal: held.signal })
      const { result, dropped = [] } = await work
      for (const { lease, fault: error } of dropped)
        await this.release(lease, error ? { cause: this.causeOf(error), error } : { cause: "withdrawn" })
      const fault = dropped.find((one) => one.fault)?.fault
      return dropped.length === claimed.length && fault
        ? { kind: "failed", range, attempt, cause: this.causeOf(fault), error: fault }
        : { kind: "done", range, result }
    } catch (thrown) {
      // Aborted because a lease may have expired: what was thrown then is not the range's failure.
      const isLost = held.signal.aborted && !signal.aborted
      const error = isLost ? leaseLost(range) : thrown
      const cause = signal.aborted ? "shutdown" : this.causeOf(error)
      for (const lease of claimed) {
        if ((await this.release(lease, { cause, error })) === "unreachable") break
      }
      return { kind: "failed", range, attempt, cause, error }
    } finally {
      held.signal.removeEventListener("abort", cut)
      held.letGo()
    }
  }

  private causeOf(error: unknown): ReleaseCause {
    if (error instanceof WorkerFault) return this.options.builtIn?.has(error.worker) ? "bug" : "failure"
    if (!(error instanceof IndexerError)) return "bug"
    switch (error.action) {
      case "bug":
      case "rollback":
        return error.action
      case "fail":
        return "failure"
      default:
        return "outage"
    }
  }

  /**
   * Charges only the worker at fault; the rest of its group releases the range without an attempt. Returns whether the
   * database can be reached: if not, each further attempt would wait for a connection too, and the reaper is sooner.
   */
  private async release(
    lease: Lease,
    { cause, error }: { cause: ReleaseCause; error?: unknown },
  ): Promise<"unreachable" | undefined> {
    const { leasesOn, uncharged, onCharged, logger } = this.options
    const { worker, range } = lease
    const fault = error instanceof WorkerFault ? error : undefined
    const isCharged = fault ? fault.worker === worker : cause === "failure" || cause === "bug"
    const reason = fault ? fault.cause : error
    const height = fault ? fault.height : error instanceof IndexerError ? error.height : undefined
    const code = cause === "bug" ? "BUG" : reason instanceof IndexerError ? reason.code : "WORKER_FAILED"
    const message = describeError(reason)
    const isNoted = isCharged || (uncharged === "noted" && cause !== "shutdown")
    let [connection, wasHeld]: [SqlConnection | undefined, boolean | undefined] = [undefined, undefined]
    try {
      connection = await this.connection()
      wasHeld = await leasesOn(connection).release(lease, {
        // Kept as a FAILED lease only where it carries information: an error, or earlier attempts.
        cause: isCharged || uncharged === "noted" ? cause : lease.attempt > 1 ? "shutdown" : "withdrawn",
        ...(isNoted ? { error: { code, message } } : {}),
        ...(isCharged && height !== undefined ? { height } : {}),
      })
    } catch (releaseError) {
      // The reaper finds it: its backend is gone, and the lease expires.
      logger.debug(
        { worker, range: formatRange(range), error: describeError(releaseError) },
        "lease left to the reaper",
      )
    }
    // A refused statement of a lost lease is no bug: its next holder may have stored the same rows.
    if (isCharged && cause === "bug" && (wasHeld !== false || !(reason instanceof IndexerError))) {
      const stack = reason instanceof Error ? reason.stack : undefined
      logger.error(
        { worker, ...range, height, code, error: message, stack },
        "a bug in Tidemark; its block is retried every minute, please report it",
      )
    }
    if (!connection) return "unreachable"
    if (!isCharged || !wasHeld) return undefined
    try {
      await onCharged?.({ worker, range, height, code, error: reason }, await this.connection())
    } catch (recordError) {
      const fields = { worker, ...range, height, code, error: message, reason: describeError(recordError) }
      logger.warn(fields, "the error of a released range could not be recorded")
    }
    return undefined
  }
}

const leaseLost = (range: BlockRange): IndexerError =>
  new IndexerError("LEASE_LOST", `the leases on ${formatRange(range)} may have expired; nothing was written`)
