// The work threads of one chain: started, watched, started again when one dies. The process keeps their leases alive; when an extract
// spins past its deadline or runs out of memory, it ends the thread, charges the worker and block at fault, and gives the
// rest back.

import { Worker } from "node:worker_threads"
import { LeaseRenewer } from "../coordination/lease-renewer.js"
import type { LeaseStore } from "../coordination/lease-store.js"
import { containsHeight } from "../domain/range-set.js"
import type { Clock } from "../platform/clock.js"
import { describeError, IndexerError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import type { Service } from "../platform/service.js"
import type { Queryable } from "../postgres/transaction.js"
import { type Busy, DeriveProgress } from "../workers/derive-progress.js"
import { recordError } from "../workers/record-error.js"
import type { WorkerRegistry } from "../workers/worker-registry.js"
import { HeldByThread } from "./thread-leases.js"
import type { FromWorkThread, ToWorkThread, WorkReport, WorkThreadInput } from "./work-messages.js"

export interface WorkThreadsOptions {
  readonly inputs: readonly Omit<WorkThreadInput, "progress">[]
  readonly registry: WorkerRegistry
  readonly leases: LeaseStore<Queryable>
  /** For what the process writes itself when a thread no longer can. */
  readonly app: Queryable
  readonly clock: Clock
  readonly logger: Logger
  readonly drainMs: number
  readonly deadlineMs: number
  readonly memoryMb: number
  readonly shortestTtlMs: number
  readonly onReport: (thread: number, report: WorkReport) => void
  readonly onDerived: (range: { readonly from: number; readonly to: number; readonly at: number }) => void
}

const restartBaseMs = 100
const restartMaxMs = 10_000
const stopGraceMs = 5_000
const watchMs = 250

interface Running {
  readonly worker: Worker
  readonly progress: DeriveProgress
  readonly held: HeldByThread
  /** What it was busy with when last looked at, and since when. */
  seen: (Busy & { readonly since: number }) | undefined
  overdue: boolean
}

export class WorkThreads implements Service {
  readonly name = "work-threads"
  private readonly options: WorkThreadsOptions
  private readonly stopping = new AbortController()
  private readonly running = new Map<number, Running>()
  private readonly renewer: LeaseRenewer
  private threads: Promise<void>[] | undefined
  private watching: Promise<void> | undefined
  private paused: string | null = null

  constructor(options: WorkThreadsOptions) {
    this.options = options
    this.renewer = new LeaseRenewer({
      renew: (tokens) => options.leases.renew(tokens),
      clock: options.clock,
      logger: options.logger,
      shortestTtlMs: options.shortestTtlMs,
    })
  }

  start(): void {
    this.renewer.start()
    this.threads ??= this.options.inputs.map((input) => this.keep(input))
    this.watching ??= this.watch()
  }

  /** Raw has something new. */
  wake(): void {
    for (const { worker } of this.running.values()) send(worker, { type: "wake" })
  }

  pause(reason: string | null): void {
    this.paused = reason
    for (const { worker } of this.running.values()) send(worker, { type: "pause", reason })
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    for (const { worker } of this.running.values()) send(worker, { type: "stop" })
    const all = Promise.all([...(this.threads ?? []), this.watching])
    const done = new AbortController()
    void all.then(() => done.abort())
    await this.options.clock.sleep(this.options.drainMs + stopGraceMs, done.signal)
    for (const { worker } of this.running.values()) await worker.terminate()
    await all
    await this.renewer.stop()
  }

  private async keep(input: Omit<WorkThreadInput, "progress">): Promise<void> {
    const { clock, logger } = this.options
    const { signal } = this.stopping
    for (let crashes = 0; !signal.aborted; ) {
      const began = clock.monotonic()
      const { failure, isCharged } = await this.run(input)
      if (signal.aborted) return
      // A block that a worker is charged for waits by itself; the others must not wait with it.
      crashes = isCharged || clock.monotonic() - began > 60_000 ? 1 : crashes + 1
      logger.error(
        { workThread: input.index, crashes, error: failure },
        "a work thread ended, starting it again",
      )
      await clock.sleep(Math.min(restartMaxMs, restartBaseMs * 2 ** Math.min(crashes - 1, 7)), signal)
    }
  }

  /** Resolves when the thread has ended and its leases are given back, with what ended it. */
  private async run(
    input: Omit<WorkThreadInput, "progress">,
  ): Promise<{ readonly failure: string; readonly isCharged: boolean }> {
    const progress = new DeriveProgress()
    const worker = new Worker(new URL("./work-thread.js", import.meta.url), {
      workerData: { ...input, progress: progress.memory } satisfies WorkThreadInput,
      resourceLimits: {
        maxOldGenerationSizeMb: this.options.memoryMb,
        // The tip has one block at a time.
        maxYoungGenerationSizeMb: input.derivesTip ? 16 : 48,
      },
    })
    const held = new HeldByThread({ renewer: this.renewer, tell: (lost) => send(worker, lost) })
    const thread: Running = { worker, progress, held, seen: undefined, overdue: false }
    this.running.set(input.index, thread)
    if (this.paused !== null) send(worker, { type: "pause", reason: this.paused })
    if (this.stopping.signal.aborted) send(worker, { type: "stop" })
    let failure: unknown
    await new Promise<void>((resolve) => {
      worker.on("message", (message: FromWorkThread) => this.receive(input.index, thread, message))
      worker.on("error", (error) => {
        failure = error
      })
      worker.on("exit", () => resolve())
    })
    this.running.delete(input.index)
    const isCharged = await this.giveBack(thread, failure)
    const said = thread.overdue ? "an extract did not return" : failure ? describeError(failure) : "it exited"
    return { failure: said, isCharged }
  }

  private receive(index: number, thread: Running, message: FromWorkThread): void {
    switch (message.type) {
      case "report":
        this.options.onReport(index, message)
        return
      case "log":
        this.options.logger[message.level](message.fields, message.message)
        return
      case "derived":
        this.options.onDerived(message)
        return
      case "held":
      case "let-go":
        thread.held.receive(message)
        return
      case "stopped":
        return
    }
  }

  /** Ends threads whose extract has been at the same block for too long. */
  private async watch(): Promise<void> {
    const { clock, deadlineMs } = this.options
    const { signal } = this.stopping
    while (!signal.aborted) {
      const now = clock.monotonic()
      for (const thread of this.running.values()) {
        const busy = thread.progress.read()
        if (!busy) thread.seen = undefined
        else if (thread.seen?.sequence !== busy.sequence) thread.seen = { ...busy, since: now }
        else if (now - thread.seen.since > deadlineMs && !thread.overdue) {
          thread.overdue = true
          void thread.worker.terminate()
        }
      }
      await clock.sleep(watchMs, signal)
    }
  }

  /** True when a worker and its block were found at fault. */
  private async giveBack(thread: Running, failure: unknown): Promise<boolean> {
    const { leases, app, registry, deadlineMs, memoryMb, logger } = this.options
    const busy = thread.progress.read()
    const guilty = busy ? registry.workers[busy.worker]?.name : undefined
    const isOutOfMemory = (failure as { code?: string } | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY"
    const message = thread.overdue
      ? `did not return within ${deadlineMs} ms`
      : isOutOfMemory
        ? `took more than ${memoryMb} MB of memory`
        : failure
          ? describeError(failure)
          : "its thread exited"
    let foundGuilty = false
    for (const lease of thread.held.takeAll()) {
      const isGuilty =
        guilty === lease.workerType && busy !== undefined && containsHeight([lease.range], busy.height)
      const error = new IndexerError("WORKER_FAILED", `${lease.workerType} ${message}`)
      try {
        // Nobody to blame: a thread that dies outside of any extract is charged to all it held, as an expiry would be.
        const isCharged = isGuilty || (guilty === undefined && failure !== undefined)
        await leases.release(lease, {
          cause: isCharged ? "failure" : lease.attempt > 1 ? "shutdown" : "withdrawn",
          ...(isCharged ? { error: { code: error.code, message: error.message } } : {}),
          ...(isGuilty ? { height: busy.height } : {}),
        })
        if (isGuilty) {
          foundGuilty = true
          const { workerType } = lease
          await recordError(app, { worker: workerType, height: busy.height, error })
          logger.warn({ worker: workerType, height: busy.height, error: message }, "a worker was ended")
        }
      } catch (releaseError) {
        logger.debug({ error: describeError(releaseError) }, "lease left to the reaper")
      }
    }
    return foundGuilty
  }
}

const send = (worker: Worker, message: ToWorkThread): void => worker.postMessage(message)
