// Claims one range, ingests it, and gives it back with its cause when that fails: the one place where a fault of raw
// ingestion is turned into what happens next. Owns one database connection, on which it claims and commits.

import type { FailurePolicy } from "../coordination/after-failure.js"
import type { HeldLease } from "../coordination/lease-renewer.js"
import type { Lease, LeaseStore, ReleaseCause } from "../coordination/lease-store.js"
import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import { type BlockRange, formatRange } from "../domain/block-range.js"
import { evmPartitionedTables } from "../families/evm/raw/raw-tables.js"
import { type BlockWriter, RawWriter, type WriterTotals } from "../families/evm/raw/raw-writer.js"
import type { Clock } from "../platform/clock.js"
import { describeError, IndexerError, isIndexerError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import type { Random } from "../platform/random.js"
import type { Turns } from "../platform/turns.js"
import type { SqlConnection } from "../postgres/sql-connection.js"
import type { BlockSource } from "../source/block-source.js"
import { type ChainState, readChainState } from "./chain-state.js"
import { parentIsUnknown } from "./check-parent.js"
import { ensurePartitions } from "./ensure-partitions.js"
import { ingestRange } from "./ingest-range.js"
import { rawIngester } from "./raw-ingester.js"

export interface RangeIngesterDeps {
  readonly connect: () => Promise<SqlConnection>
  readonly source: BlockSource
  /** Keeps a lease alive while its range is worked on; `sentAt` is when the claim was sent. */
  readonly renewer: { hold(lease: Lease, options: { sentAt: number; signal: AbortSignal }): HeldLease }
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly policy: FailurePolicy
  /** Shared by those who do not copy at the same time. */
  readonly turns?: Turns | undefined
  /** Where blocks go, if not into rows for COPY. */
  readonly writer?: BlockWriter
}

export interface RangeIngesterOptions {
  readonly holder: string
  readonly rangeSize: number
  readonly flushBytes: number
  readonly denormalizeEvents: boolean
  /** Partitions wholly below the live stretch get their indexes once they are covered. */
  readonly deferIndexes: boolean
  /** Direct connections only: behind a pooler a backend is not the holder's own. */
  readonly recordBackend: boolean
}

export interface IngestTurn {
  readonly regions: (state: ChainState) => readonly BlockRange[]
  readonly maxBlocks: number
  readonly ttlMs: number
  readonly order: "oldest" | "newest"
  readonly inOrder: boolean
  /** Its requests go before those of history. */
  readonly urgent?: boolean
  /** What else has to hold at the commit, under the locks. */
  readonly check?: ((tx: SqlConnection) => Promise<void>) | undefined
}

export type IngestOutcome =
  /** early: the head is not known yet, so it may have work any moment. */
  | { readonly kind: "idle"; readonly early: boolean }
  | { readonly kind: "done"; readonly lease: Lease; readonly totals: WriterTotals }
  | { readonly kind: "failed"; readonly lease: Lease; readonly cause: ReleaseCause; readonly error: unknown }

export class RangeIngester {
  private readonly deps: RangeIngesterDeps
  private readonly options: RangeIngesterOptions
  private readonly writer: BlockWriter
  private readonly partitionsSeen = new Set<number>()
  private open: SqlConnection | undefined
  private working: Promise<unknown> = Promise.resolve()

  constructor(deps: RangeIngesterDeps, options: RangeIngesterOptions) {
    this.deps = deps
    this.options = options
    this.writer = deps.writer ?? new RawWriter({ denormalizeEvents: options.denormalizeEvents })
  }

  async connection(): Promise<SqlConnection> {
    if (!this.open || this.open.closed) this.open = await this.deps.connect()
    return this.open
  }

  /** Resolves when no range is under way. */
  async idle(): Promise<void> {
    await this.working
  }

  ingestNext(turn: IngestTurn, signal: AbortSignal): Promise<IngestOutcome> {
    const outcome = this.ingest(turn, signal)
    this.working = outcome.catch(() => undefined)
    return outcome
  }

  private async ingest(turn: IngestTurn, signal: AbortSignal): Promise<IngestOutcome> {
    const connection = await this.connection()
    const state = await readChainState(connection)
    const regions = state && !state.halted ? turn.regions(state) : []
    if (regions.length === 0) return { kind: "idle", early: state?.finalizedHeight == null }
    const leases = this.leasesOn(connection)
    const sentAt = this.deps.clock.monotonic()
    const lease = await leases.claim({
      workerType: rawIngester,
      holder: this.options.holder,
      ...(this.options.recordBackend ? { backend: connection.backend } : {}),
      regions,
      rangeSize: this.options.rangeSize,
      maxBlocks: turn.maxBlocks,
      order: turn.order,
      inOrder: turn.inOrder,
      ttlMs: turn.ttlMs,
      dependencies: [],
    })
    if (!lease) return { kind: "idle", early: false }
    const held = this.deps.renewer.hold(lease, { sentAt, signal })
    // A rejected promise cancels nothing on the server: only a cut connection can never commit later.
    const cut = (): void => connection.destroy()
    held.signal.addEventListener("abort", cut, { once: true })
    try {
      await this.partitionsFor(connection, { range: lease.range, liveFrom: state!.liveFrom })
      const withParent = await parentIsUnknown(connection, lease.range)
      const { source, clock, turns } = this.deps
      const { flushBytes } = this.options
      const totals = await ingestRange(
        { source, leases, writer: this.writer, clock, flushBytes, turns },
        {
          lease,
          fetch: { signal: held.signal, urgent: turn.urgent, finalTo: state!.finalizedHeight ?? undefined },
          withParent,
          check: turn.check,
        },
      )
      return { kind: "done", lease, totals }
    } catch (error) {
      const cause = signal.aborted ? "shutdown" : causeOf(error)
      await this.giveBack(lease, { cause, error })
      return { kind: "failed", lease, cause, error }
    } finally {
      held.signal.removeEventListener("abort", cut)
      held.letGo()
    }
  }

  async close(): Promise<void> {
    await this.open?.end()
  }

  private leasesOn(connection: SqlConnection): LeaseStore<SqlConnection> {
    const { random, policy } = this.deps
    return new PostgresLeaseStore<SqlConnection>({ executor: connection, schema: "raw", random, policy })
  }

  private async partitionsFor(
    connection: SqlConnection,
    { range, liveFrom }: { range: BlockRange; liveFrom: number | null },
  ): Promise<void> {
    const slot = Math.floor(range.from / this.options.rangeSize)
    if (this.partitionsSeen.has(slot)) return
    const deferIndexesBelow = this.options.deferIndexes ? (liveFrom ?? 0) : 0
    await ensurePartitions(connection, { tables: evmPartitionedTables, range, deferIndexesBelow })
    if (this.partitionsSeen.size > 10_000) this.partitionsSeen.clear()
    this.partitionsSeen.add(slot)
  }

  private async giveBack(
    lease: Lease,
    { cause, error }: { cause: ReleaseCause; error: unknown },
  ): Promise<void> {
    if (isIndexerError(error, "LEASE_LOST")) return
    const { logger } = this.deps
    const code = error instanceof IndexerError ? error.code : "BUG"
    const message = describeError(error)
    try {
      const connection = await this.connection()
      await this.leasesOn(connection).release(lease, {
        cause,
        ...(cause === "shutdown" ? {} : { error: { code, message } }),
        ...(error instanceof IndexerError && error.height !== undefined ? { height: error.height } : {}),
      })
    } catch (releaseError) {
      // The reaper finds it: its backend is gone, and its time will be over.
      logger.debug(
        { range: formatRange(lease.range), error: describeError(releaseError) },
        "lease left to the reaper",
      )
    }
  }
}

function causeOf(error: unknown): ReleaseCause {
  if (!(error instanceof IndexerError)) return "failure"
  switch (error.action) {
    case "rollback":
      return "rollback"
    case "fail":
      return "failure"
    default:
      return "outage"
  }
}
