// Derives one range for the workers that hold it: reads raw in one snapshot, extracts, copies, folds and commits in one
// transaction. A worker that fails leaves the group with its dependents; the others continue.

import type { FencedCommits } from "../coordination/fenced-commits.js"
import type { Lease } from "../coordination/lease-store.js"
import { WorkerFault } from "../coordination/worker-fault.js"
import type { Clock } from "../platform/clock.js"
import { type ErrorAction, IndexerError, isIndexerError } from "../platform/errors.js"
import type { FifoLock } from "../platform/fifo-lock.js"
import type { TipGate } from "../platform/tip-gate.js"
import type { DeriveProgress } from "./derive-progress.js"
import type { DerivedStore, EmittedRows } from "./derived-store.js"
import type { RawRange, RawReader, ReadableBlock } from "./raw-range.js"
import { eventTables, type UpstreamRow, type UpstreamRows, type WorkerDefinition } from "./worker-definition.js"
import type { WorkerRegistry } from "./worker-registry.js"

export interface DeriveGroupDeps<Tx, Sink extends EmittedRows> {
  readonly commits: Pick<FencedCommits<Tx>, "commitGroup">
  readonly raw: RawReader
  readonly store: DerivedStore<Tx, Sink>
  readonly registry: WorkerRegistry
  /** The caller reuses them from range to range for their memory. */
  readonly sinks: ReadonlyMap<string, Sink>
  readonly progress: DeriveProgress
  /** Shared by the history lanes of this thread; the tip has none. */
  readonly lock?: FifoLock
  /** History waits here for new blocks between its steps, but never while it holds locks on shared rows. */
  readonly gate?: Pick<TipGate, "pass" | "passBefore">
  /** Measured in the previous range. */
  readonly foldMsPerBlock?: number
  readonly clock: Clock
}

interface Dropped {
  readonly lease: Lease
  /** fault: it failed. slow: it delayed the others. dependent: a worker it depends on was dropped. */
  readonly reason: "fault" | "slow" | "dependent"
  readonly fault?: WorkerFault
}

interface DeriveTotals {
  blocks: number
  events: number
  rows: number
  bytes: number
  readMs: number
  extractMs: number
  writeMs: number
  foldMs: number
  /** A block at the tip waited for rows that this range had locked. */
  heldUpTip: boolean
  /** Extract time by worker. */
  readonly byWorker: Record<string, number>
}

export interface DeriveResult {
  readonly committed: readonly Lease[]
  readonly dropped: readonly Dropped[]
  readonly totals: DeriveTotals
}

/** A worker that takes longer than this for one batch continues alone, so that it does not delay the others. */
const sharedExtractMs = 2_000
const refusals: readonly ErrorAction[] = ["fail", "bug"]
/** Extracting blocks the thread's event loop for about this long, or for one block. */
const sliceMs = 25

export async function deriveGroup<Tx, Sink extends EmittedRows>(
  deps: DeriveGroupDeps<Tx, Sink>,
  { leases, signal }: { leases: readonly Lease[]; signal: AbortSignal },
): Promise<DeriveResult> {
  const run = new GroupRun(deps, leases, signal)
  try {
    await run.derive()
  } finally {
    await run.close()
  }
  return { committed: run.held, dropped: run.dropped, totals: run.totals }
}

class GroupRun<Tx, Sink extends EmittedRows> {
  held: readonly Lease[]
  readonly dropped: Dropped[] = []
  readonly totals: DeriveTotals = {
    blocks: 0,
    events: 0,
    rows: 0,
    bytes: 0,
    readMs: 0,
    extractMs: 0,
    writeMs: 0,
    foldMs: 0,
    heldUpTip: false,
    byWorker: {},
  }
  private readonly deps: DeriveGroupDeps<Tx, Sink>
  private readonly signal: AbortSignal
  private raw: RawRange | undefined
  /** Once the transaction is open a fault ends all of it: rows of the failed worker may be in it already. */
  private writing = false
  /** Since the event loop last ran. */
  private busyMs = 0
  private endSlot: () => void = () => undefined

  constructor(deps: DeriveGroupDeps<Tx, Sink>, leases: readonly Lease[], signal: AbortSignal) {
    this.deps = deps
    this.held = leases
    this.signal = signal
  }

  async derive(): Promise<void> {
    const { commits, raw, sinks } = this.deps
    const { range } = this.held[0]!
    for (const { worker } of this.held) sinks.get(worker)?.reset()
    if (this.workers().some((worker) => worker.extract)) {
      this.raw = await this.timed("readMs", () => raw.open(range))
    }
    let blocks = await this.nextBlocks()
    await this.extractFromRaw(blocks)
    if (this.held.length === 0) return
    const chainEpoch = this.raw?.chainEpoch ?? Number.POSITIVE_INFINITY
    await commits.commitGroup(
      this.held.map((lease) => ({ ...lease, chainEpoch: Math.min(lease.chainEpoch, chainEpoch) })),
      {
        write: async (tx) => {
          this.writing = true
          for (;;) {
            await this.append(tx)
            await this.extractFromRows(tx, blocks)
            const next = await this.nextBlocks()
            if (next.length === 0) break
            blocks = next
            await this.extractFromRaw(blocks)
          }
          // Before taking locks that others wait for.
          await this.closeRaw()
        },
        apply: async (tx) => {
          this.endSlot = (await this.deps.lock?.take()) ?? this.endSlot
          await this.deps.gate?.passBefore(this.totals.blocks * (this.deps.foldMsPerBlock ?? 0))
          await this.timed("foldMs", () => this.applyFolds(tx))
          this.totals.heldUpTip = await this.deps.store.holdsUpTip(tx)
        },
      },
    )
  }

  async closeRaw(): Promise<void> {
    await this.raw?.close()
  }

  async close(): Promise<void> {
    // Not before the commit: until then the rows are locked.
    this.endSlot()
    await this.closeRaw()
  }

  private workers(): WorkerDefinition[] {
    return this.held.map(({ worker }) => this.deps.registry.worker(worker)!)
  }

  private async nextBlocks(): Promise<readonly ReadableBlock[]> {
    this.signal.throwIfAborted()
    await this.deps.gate?.pass()
    const blocks = (await this.timed("readMs", async () => this.raw?.next())) ?? []
    this.totals.blocks += blocks.length
    for (const { events } of blocks) this.totals.events += events.length
    return blocks
  }

  /** Workers that read only raw blocks. */
  private async extractFromRaw(blocks: readonly ReadableBlock[]): Promise<void> {
    for (const worker of this.workers()) {
      if (worker.extract && !worker.reads?.length && this.holds(worker.name)) await this.extract(worker, blocks)
    }
  }

  /** Workers that also read rows of others, which are written by now, in this transaction or before it. */
  private async extractFromRows(tx: Tx, blocks: readonly ReadableBlock[]): Promise<void> {
    const [first, last] = [blocks[0], blocks.at(-1)]
    if (!first || !last) return
    for (const worker of this.workers()) {
      if (!worker.extract || !worker.reads?.length) continue
      const upstream: [string, ReadonlyMap<number, readonly UpstreamRow[]>][] = []
      for (const table of worker.reads) {
        const range = { from: first.height, to: last.height + 1 }
        upstream.push([table, await this.deps.store.readRows(tx, { table, range })])
      }
      await this.extract(worker, blocks, (height) =>
        Object.fromEntries(upstream.map(([table, rows]) => [table, rows.get(height) ?? []])),
      )
      await this.append(tx)
    }
  }

  private async extract(
    worker: WorkerDefinition,
    blocks: readonly ReadableBlock[],
    rowsAt: (height: number) => UpstreamRows = () => ({}),
  ): Promise<void> {
    const { progress, clock, registry, sinks } = this.deps
    const sink = sinks.get(worker.name)!
    const position = registry.workers.indexOf(worker)
    let tookMs = 0
    for (const [at, block] of blocks.entries()) {
      const began = clock.monotonic()
      progress.begin(position, block.height)
      try {
        sink.startBlock(block.height)
        refusePromise(worker.extract!({ block, emit: sink.emit, rows: rowsAt(block.height) }))
      } catch (cause) {
        const fault = new WorkerFault({ worker: worker.name, height: block.height, cause })
        if (this.writing) throw fault
        this.drop(worker.name, { reason: "fault", fault })
        break
      } finally {
        progress.end()
        const ms = clock.monotonic() - began
        tookMs += ms
        this.busyMs += ms
      }
      const holdsUp = this.held.length > 1 && !this.writing && at + 1 < blocks.length
      if (holdsUp && tookMs > sharedExtractMs) {
        this.drop(worker.name, { reason: "slow" })
        break
      }
      if (this.busyMs > sliceMs) await this.letOthers()
    }
    this.totals.extractMs += tookMs
    this.totals.byWorker[worker.name] = (this.totals.byWorker[worker.name] ?? 0) + tookMs
  }

  /** Extracting is synchronous: other lanes of this thread need the event loop, and the tip goes first. */
  private async letOthers(): Promise<void> {
    await this.deps.clock.yield()
    await this.deps.gate?.pass()
    this.busyMs = 0
    this.signal.throwIfAborted()
  }

  private drop(worker: string, why: Omit<Dropped, "lease">): void {
    const dependents = this.deps.registry.dependentsOf(worker).map(({ name }) => name)
    for (const lease of this.held) {
      if (lease.worker === worker) this.dropped.push({ lease, ...why })
      else if (dependents.includes(lease.worker)) this.dropped.push({ lease, reason: "dependent" })
      else continue
      this.deps.sinks.get(lease.worker)?.reset()
    }
    this.held = this.held.filter((lease) => lease.worker !== worker && !dependents.includes(lease.worker))
  }

  private holds(worker: string): boolean {
    return this.held.some((lease) => lease.worker === worker)
  }

  private async append(tx: Tx): Promise<void> {
    for (const { name } of this.workers()) {
      const sink = this.deps.sinks.get(name)!
      if (sink.pendingRows === 0) continue
      this.totals.rows += sink.pendingRows
      this.totals.bytes += sink.byteLength
      await this.deps.gate?.pass()
      await this.timed("writeMs", () => this.blamed(name, () => this.deps.store.append(tx, sink)))
    }
  }

  private async applyFolds(tx: Tx): Promise<void> {
    const { range } = this.held[0]!
    const without = this.tablesWithoutRows()
    for (const { name } of this.workers()) {
      await this.blamed(name, () => this.deps.store.applyFolds(tx, { worker: name, range, without }))
    }
    // In longer ranges too: an error without a known block is recorded at the first block of its range.
    const workers = this.held.map(({ worker }) => worker)
    await this.deps.store.resolveErrors(tx, { workers, range })
  }

  /** Event tables that this group writes but has no rows for. Nothing is known of tables written earlier by others. */
  private tablesWithoutRows(): ReadonlySet<string> {
    return new Set(
      this.workers().flatMap((worker) =>
        eventTables(worker)
          .map(([table]) => table)
          .filter((table) => this.deps.sinks.get(worker.name)!.rowsOf(table) === 0),
      ),
    )
  }

  /** Rows that the encoder or the database refuses are their worker's fault; an outage is not. */
  private async blamed<T>(worker: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (isIndexerError(error) && refusals.includes(error.action)) throw new WorkerFault({ worker, cause: error })
      throw error
    }
  }

  private async timed<T>(key: "readMs" | "writeMs" | "foldMs", work: () => Promise<T>): Promise<T> {
    const began = this.deps.clock.monotonic()
    try {
      return await work()
    } finally {
      this.totals[key] += this.deps.clock.monotonic() - began
    }
  }
}

/** The type of `extract` admits an async function, whose rows and errors would come too late. */
function refusePromise(returned: unknown): void {
  if (typeof (returned as { then?: unknown } | undefined | null)?.then !== "function") return
  Promise.resolve(returned).catch(() => undefined)
  throw new IndexerError("WORKER_FAILED", "extract must be synchronous, but returned a promise")
}
