// Claims one range for a group of workers, derives it, and gives back what was not done with its cause: the one place where a
// fault of deriving is turned into what happens next. Owns two connections: one reads raw, one claims and commits in app.

import type { FailurePolicy } from "../coordination/after-failure.js"
import type { ClaimMember, Lease, LeaseStore, ReleaseCause } from "../coordination/lease-store.js"
import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import { type BlockRange, formatRange } from "../domain/block-range.js"
import type { Clock } from "../platform/clock.js"
import { describeError, IndexerError, isIndexerError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import type { Random } from "../platform/random.js"
import type { TipGate } from "../platform/tip-gate.js"
import type { Turns } from "../platform/turns.js"
import type { SqlConnection } from "../postgres/sql-connection.js"
import { ensurePartitions } from "../raw/ensure-partitions.js"
import { type DeriveResult, type Dropped, deriveGroup } from "./derive-group.js"
import type { DeriveProgress } from "./derive-progress.js"
import type { DerivedStore, EmittedRows } from "./derived-store.js"
import type { LeaseKeeper } from "./held-leases.js"
import type { RawReader } from "./raw-range.js"
import { recordError } from "./record-error.js"
import { WorkerFault } from "./worker-fault.js"
import type { WorkerRegistry } from "./worker-registry.js"

export interface RangeDeriverDeps {
  readonly connect: () => Promise<SqlConnection>
  readonly raw: RawReader
  readonly store: DerivedStore<SqlConnection>
  readonly registry: WorkerRegistry
  readonly keeper: LeaseKeeper
  readonly progress: DeriveProgress
  readonly turns?: Turns
  readonly gate?: Pick<TipGate, "pass" | "passBefore">
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly policy: FailurePolicy
}

export interface RangeDeriverOptions {
  readonly holder: string
  readonly rangeSize: number
  /** Direct connections only: behind a pooler a backend is not the holder's own. */
  readonly recordBackend: boolean
}

export interface DeriveTurn {
  readonly members: readonly ClaimMember[]
  readonly regions: readonly BlockRange[]
  readonly maxBlocks: number
  readonly ttlMs: number
  readonly order: "oldest" | "newest"
}

export type DeriveOutcome =
  | { readonly kind: "idle" }
  /** Committed for at least one worker; some may have been dropped. */
  | { readonly kind: "done"; readonly range: BlockRange; readonly result: DeriveResult }
  | {
      readonly kind: "failed"
      readonly range: BlockRange
      readonly cause: ReleaseCause
      readonly error: unknown
    }

export class RangeDeriver {
  private readonly deps: RangeDeriverDeps
  private readonly options: RangeDeriverOptions
  private readonly sinks: ReadonlyMap<string, EmittedRows>
  private foldMsPerBlock = 0
  private readonly partitionsSeen = new Set<number>()
  private open: SqlConnection | undefined
  private working: Promise<unknown> = Promise.resolve()

  constructor(deps: RangeDeriverDeps, options: RangeDeriverOptions) {
    this.deps = deps
    this.options = options
    this.sinks = new Map(deps.registry.workers.map(({ name }) => [name, deps.store.createSink(name)]))
  }

  async connection(): Promise<SqlConnection> {
    if (!this.open || this.open.closed) this.open = await this.deps.connect()
    return this.open
  }

  /** Resolves when no range is under way. */
  async idle(): Promise<void> {
    await this.working
  }

  deriveNext(turn: DeriveTurn, signal: AbortSignal): Promise<DeriveOutcome> {
    const outcome = this.derive(turn, signal)
    this.working = outcome.catch(() => undefined)
    return outcome
  }

  async close(): Promise<void> {
    await this.open?.end()
  }

  private async derive(turn: DeriveTurn, signal: AbortSignal): Promise<DeriveOutcome> {
    const { clock, keeper } = this.deps
    const connection = await this.connection()
    const leases = this.leasesOn(connection)
    const sentAt = clock.monotonic()
    const claimed = await leases.claimGroup({
      ...turn,
      holder: this.options.holder,
      ...(this.options.recordBackend ? { backend: connection.backend } : {}),
      rangeSize: this.options.rangeSize,
    })
    const range = claimed[0]?.range
    if (!range) return { kind: "idle" }
    const held = keeper.hold(claimed, { sentAt, signal })
    // A rejected promise cancels nothing on the server: only a cut connection can never commit later.
    const cut = (): void => connection.destroy()
    held.signal.addEventListener("abort", cut, { once: true })
    try {
      await this.partitionsFor(connection, range)
      const result = await deriveGroup(
        { ...this.deps, leases, sinks: this.sinks, foldMsPerBlock: this.foldMsPerBlock },
        { leases: claimed, signal: held.signal },
      )
      if (result.totals.blocks > 0) this.foldMsPerBlock = result.totals.foldMs / result.totals.blocks
      await this.giveBackDropped(result.dropped)
      const fault = result.dropped.find((dropped) => dropped.fault)?.fault
      return result.committed.length === 0 && fault
        ? { kind: "failed", range, cause: "failure", error: fault }
        : { kind: "done", range, result }
    } catch (thrown) {
      // Cut off since a lease may be over: whatever was thrown then is no fault of a worker.
      const isLost = held.signal.aborted && !signal.aborted
      const error = isLost
        ? new IndexerError(
            "LEASE_LOST",
            `the leases on ${formatRange(range)} may be over; nothing was written`,
          )
        : thrown
      const cause = signal.aborted ? "shutdown" : isLost ? "outage" : causeOf(error)
      for (const lease of claimed) await this.giveBack(lease, { cause, error })
      return { kind: "failed", range, cause, error }
    } finally {
      held.signal.removeEventListener("abort", cut)
      held.letGo()
    }
  }

  private leasesOn(connection: SqlConnection): LeaseStore<SqlConnection> {
    const { random, policy } = this.deps
    return new PostgresLeaseStore<SqlConnection>({ executor: connection, schema: "app", random, policy })
  }

  private async partitionsFor(connection: SqlConnection, range: BlockRange): Promise<void> {
    const slot = Math.floor(range.from / this.options.rangeSize)
    if (this.partitionsSeen.has(slot)) return
    await ensurePartitions(connection, { tables: this.deps.registry.partitionedTables(), range })
    if (this.partitionsSeen.size > 10_000) this.partitionsSeen.clear()
    this.partitionsSeen.add(slot)
  }

  private async giveBackDropped(dropped: readonly Dropped[]): Promise<void> {
    for (const { lease, fault } of dropped) {
      await this.giveBack(lease, fault ? { cause: "failure", error: fault } : { cause: "withdrawn" })
    }
  }

  /** Charges the worker that failed and nobody else; the rest of its group just gives the range back. */
  private async giveBack(
    lease: Lease,
    { cause, error }: { cause: ReleaseCause; error?: unknown },
  ): Promise<void> {
    const isGuilty = error instanceof WorkerFault ? error.worker === lease.workerType : cause === "failure"
    // Kept as a failed lease only where it tells something: a fault, or the tries that went before.
    const released = isGuilty ? cause : lease.attempt > 1 ? "shutdown" : "withdrawn"
    const height = error instanceof WorkerFault && isGuilty ? error.height : undefined
    const reason = error instanceof WorkerFault ? error.cause : error
    try {
      const connection = await this.connection()
      const code = reason instanceof IndexerError ? reason.code : "WORKER_FAILED"
      const message = describeError(reason)
      await this.leasesOn(connection).release(lease, {
        cause: released,
        ...(isGuilty ? { error: { code, message } } : {}),
        ...(height === undefined ? {} : { height }),
      })
      if (isGuilty) {
        await recordError(connection, {
          worker: lease.workerType,
          height: height ?? lease.range.from,
          error: reason,
        })
      }
    } catch (releaseError) {
      // The reaper finds it: its backend is gone, and its time will be over.
      this.deps.logger.debug(
        { worker: lease.workerType, range: formatRange(lease.range), error: describeError(releaseError) },
        "lease left to the reaper",
      )
    }
  }
}

function causeOf(error: unknown): ReleaseCause {
  if (error instanceof WorkerFault) return "failure"
  if (!isIndexerError(error)) return "failure"
  switch (error.action) {
    case "rollback":
      return "rollback"
    case "fail":
      return "failure"
    default:
      return "outage"
  }
}
