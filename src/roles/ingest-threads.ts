// The ingest threads of one chain: started, started again when one dies, told to pause and to stop. The process keeps their leases
// alive. A thread that crashes takes only its own ranges with it, and their leases pass to others.

import { Worker } from "node:worker_threads"
import { LeaseRenewer } from "../coordination/lease-renewer.js"
import type { LeaseToken } from "../coordination/lease-store.js"
import type { Clock } from "../platform/clock.js"
import { describeError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import type { Service } from "../platform/service.js"
import type { RollbackIntent } from "../rollback/rollback-intent.js"
import type { FromThread, IngestThreadInput, ThreadReport, ToThread } from "./ingest-messages.js"
import { HeldByThread } from "./thread-leases.js"

export interface IngestThreadsOptions {
  /** Threads from spawnIngestThread that wait for their input, one for each; those that have ended are spawned anew. */
  readonly spawned: readonly Worker[]
  readonly inputs: readonly IngestThreadInput[]
  readonly clock: Clock
  readonly logger: Logger
  readonly drainMs: number
  /** Over a connection of its own: nothing else may keep it waiting. */
  readonly renew: (tokens: readonly LeaseToken[]) => Promise<readonly LeaseToken[]>
  readonly shortestTtlMs: number
  readonly onReport: (thread: number, report: ThreadReport) => void
  readonly onAnnounced: (head: { readonly height: number; readonly at: number }) => void
  readonly onStored: () => void
  /** Finishes the rollback that a thread has recorded. */
  readonly finishRollback: () => Promise<RollbackIntent | undefined>
}

// Room for one 50,000-log block beside the lanes' ordinary work, and no more: a runaway must end as a failed thread.
const maxOldGenerationSizeMb = 384
/** Of all threads that fill history together: more of it saves collections, and is the larger part of what a second thread takes. */
const historyYoungGenerationMb = 48
/** Of the thread that has one block at a time. */
const headYoungGenerationMb = 16
const restartBaseMs = 500
const restartMaxMs = 10_000
const stopGraceMs = 5_000

/** Loads its modules and waits: done early, that takes no time from the start. */
export function spawnIngestThread({
  followsHead,
  settings: { threads },
}: Pick<IngestThreadInput, "followsHead" | "settings">): Worker {
  const maxYoungGenerationSizeMb = followsHead
    ? headYoungGenerationMb
    : Math.max(headYoungGenerationMb, historyYoungGenerationMb / threads)
  const worker = new Worker(new URL("./ingest-thread.js", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb },
  })
  // Whoever gives it work sees that it has ended.
  worker.on("error", () => undefined)
  return worker
}

export class IngestThreads implements Service {
  readonly name = "ingest-threads"
  private readonly options: IngestThreadsOptions
  private readonly stopping = new AbortController()
  private readonly workers = new Map<number, Worker>()
  private readonly spawned: (Worker | undefined)[]
  private running: Promise<void>[] | undefined
  private readonly renewer: LeaseRenewer
  private paused: string | null = null
  private lent = false
  private readonly lenders = new Map<Worker, () => void>()

  constructor(options: IngestThreadsOptions) {
    this.options = options
    this.renewer = new LeaseRenewer(options)
    this.spawned = [...options.spawned]
  }

  start(): void {
    this.renewer.start()
    this.running ??= this.options.inputs.map((input) => this.keep(input))
  }

  pause(reason: string | null): void {
    this.paused = reason
    for (const worker of this.workers.values()) send(worker, { type: "pause", reason })
  }

  /** Resolves when the history lanes of all threads have closed their connections; at once when they may go on. */
  async lend(lent: boolean): Promise<void> {
    this.lent = lent
    const closed = [...this.workers.values()].map(
      (worker) => new Promise<void>((resolve) => this.lenders.set(worker, resolve)),
    )
    for (const worker of this.workers.values()) send(worker, { type: "lend", lent })
    if (lent) await Promise.all(closed)
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    for (const worker of this.workers.values()) send(worker, { type: "stop" })
    const all = Promise.all(this.running ?? [])
    const done = new AbortController()
    void all.then(() => done.abort())
    await this.options.clock.sleep(this.options.drainMs + stopGraceMs, done.signal)
    for (const worker of this.workers.values()) await worker.terminate()
    await all
    await this.renewer.stop()
  }

  private async rollBack(worker: Worker): Promise<void> {
    const rollback = await this.options.finishRollback().catch((error: unknown) => {
      this.options.logger.warn(
        { error: describeError(error) },
        "a rollback could not be finished; it is tried again every second",
      )
      return undefined
    })
    send(worker, { type: "rolled-back", rollback })
  }

  private async keep(input: IngestThreadInput): Promise<void> {
    const { clock, logger } = this.options
    const { signal } = this.stopping
    for (let crashes = 0; !signal.aborted; ) {
      const began = clock.monotonic()
      const failure = await this.run(input)
      if (signal.aborted) return
      crashes = clock.monotonic() - began > 60_000 ? 1 : crashes + 1
      logger.error(
        { thread: input.index, crashes, error: failure },
        "an ingest thread died, starting it again",
      )
      await clock.sleep(Math.min(restartMaxMs, restartBaseMs * 2 ** Math.min(crashes - 1, 6)), signal)
    }
  }

  /** Resolves when the thread has ended, with what ended it. */
  private run(input: IngestThreadInput): Promise<string> {
    const spawned = this.spawned[input.index]
    this.spawned[input.index] = undefined
    const worker = spawned !== undefined && isAlive(spawned) ? spawned : spawnIngestThread(input)
    worker.postMessage(input)
    this.workers.set(input.index, worker)
    const held = new HeldByThread({ renewer: this.renewer, tell: (lost) => send(worker, lost) })
    if (this.paused !== null) send(worker, { type: "pause", reason: this.paused })
    if (this.lent) send(worker, { type: "lend", lent: true })
    if (this.stopping.signal.aborted) send(worker, { type: "stop" })
    return new Promise((resolve) => {
      let failure = "it exited"
      worker.on("message", (message: FromThread) => {
        if (message.type === "report") this.options.onReport(input.index, message)
        else if (message.type === "announced") this.options.onAnnounced(message)
        else if (message.type === "stored") this.options.onStored()
        else if (message.type === "roll-back") void this.rollBack(worker)
        else if (message.type === "lent") this.lenders.get(worker)?.()
        else if (message.type === "held" || message.type === "let-go") held.receive(message)
        else if (message.type === "log") this.options.logger[message.level](message.fields, message.message)
      })
      worker.on("error", (error) => {
        failure = describeError(error)
      })
      worker.on("exit", () => {
        this.workers.delete(input.index)
        this.lenders.get(worker)?.()
        this.lenders.delete(worker)
        // Their backends are gone with the thread, by which the reaper knows them.
        held.takeAll()
        resolve(failure)
      })
    })
  }
}

const isAlive = ({ threadId }: Worker): boolean => threadId >= 0

const send = (worker: Worker, message: ToThread): void => worker.postMessage(message)
