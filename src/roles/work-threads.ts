// The work threads of one chain. When an extract spins past its deadline or runs out of memory, its thread is ended, the worker and
// block at fault are charged, and the rest is given back.

import { Worker } from "node:worker_threads"
import type { Lease, LeaseStore } from "../coordination/lease-store.js"
import { containsHeight } from "../domain/range-set.js"
import { recordError } from "../indexing-errors/record-error.js"
import type { Clock } from "../platform/clock.js"
import { describeError, IndexerError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import type { Queryable } from "../postgres/transaction.js"
import { type LaunchedThread, ThreadSupervisor, type ThreadSupervisorOptions } from "../threads/thread-supervisor.js"
import { type Busy, DeriveProgress } from "../workers/derive-progress.js"
import type { WorkerRegistry } from "../workers/worker-registry.js"
import type { FromWorkThread, ToWorkThread, WorkReport, WorkThreadInput } from "./work-messages.js"

type Input = Omit<WorkThreadInput, "progress">

export interface WorkThreadsOptions
  extends Omit<ThreadSupervisorOptions<Input, FromWorkThread>, "name" | "launch" | "restartBaseMs" | "renew"> {
  readonly registry: WorkerRegistry
  readonly leases: LeaseStore<Queryable>
  /** For what the process writes itself when a thread no longer can. */
  readonly app: Queryable
  readonly deadlineMs: number
  readonly memoryMb: number
  readonly onReport: (report: WorkReport) => void
  readonly onDerived: (range: { readonly from: number; readonly to: number; readonly at: number }) => void
}

export type WorkThreads = ThreadSupervisor<Input, ToWorkThread, FromWorkThread>

const watchMs = 250

interface Watched {
  readonly worker: Worker
  readonly progress: DeriveProgress
  /** What it was busy with when last looked at, and since when. */
  seen: (Busy & { readonly since: number }) | undefined
  overdue: boolean
}

/** Ends threads whose extract has been at the same block for too long. */
export class ExtractWatch extends LoopingService {
  private readonly deadlineMs: number
  private readonly threads: ReadonlySet<Watched>

  constructor(
    threads: ReadonlySet<Watched>,
    options: { readonly clock: Clock; readonly logger: Logger; readonly deadlineMs: number },
  ) {
    super({ ...options, name: "extract-watch", intervalMs: watchMs })
    this.threads = threads
    this.deadlineMs = options.deadlineMs
  }

  async runOnce(): Promise<undefined> {
    const now = this.clock.monotonic()
    for (const thread of this.threads) {
      const busy = thread.progress.read()
      if (!busy) thread.seen = undefined
      else if (thread.seen?.sequence !== busy.sequence) thread.seen = { ...busy, since: now }
      else if (now - thread.seen.since > this.deadlineMs && !thread.overdue) {
        thread.overdue = true
        void thread.worker.terminate()
      }
    }
    return undefined
  }
}

export function superviseWork(options: WorkThreadsOptions): {
  readonly threads: WorkThreads
  readonly watch: ExtractWatch
} {
  const { onReport, onDerived, memoryMb } = options
  const watched = new Set<Watched>()
  const launch = (input: Input): LaunchedThread<FromWorkThread> => {
    const worker = new Worker(new URL("./work-thread.js", import.meta.url), {
      resourceLimits: {
        maxOldGenerationSizeMb: memoryMb,
        // The tip has one block at a time.
        maxYoungGenerationSizeMb: input.derivesTip ? 16 : 48,
      },
    })
    const progress = new DeriveProgress()
    worker.postMessage({ ...input, progress: progress.memory } satisfies WorkThreadInput)
    const thread: Watched = { worker, progress, seen: undefined, overdue: false }
    watched.add(thread)
    return {
      worker,
      receive: (message) => (message.type === "report" ? onReport(message) : onDerived(message)),
      ended: ({ leases, failure }) => {
        watched.delete(thread)
        return chargeOrGiveBack(options, { thread, held: leases, failure })
      },
    }
  }
  const threads: WorkThreads = new ThreadSupervisor({
    ...options,
    name: "work",
    restartBaseMs: 100,
    renew: (tokens) => options.leases.renew(tokens),
    launch,
  })
  return { threads, watch: new ExtractWatch(watched, options) }
}

/** True when a worker and its block were found at fault. */
async function chargeOrGiveBack(
  { leases, app, registry, deadlineMs, memoryMb, logger }: WorkThreadsOptions,
  { thread, held, failure }: { thread: Watched; held: readonly Lease[]; failure: unknown },
): Promise<boolean> {
  const busy = thread.progress.read()
  const atFault = busy ? registry.workers[busy.worker]?.name : undefined
  const isOutOfMemory = (failure as { code?: string } | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY"
  const message = thread.overdue
    ? `did not return within ${deadlineMs} ms`
    : isOutOfMemory
      ? `took more than ${memoryMb} MB of memory`
      : failure
        ? describeError(failure)
        : "its thread exited"
  let isFound = false
  for (const lease of held) {
    const { workerType: worker } = lease
    const isAtFault = busy !== undefined && atFault === worker && containsHeight([lease.range], busy.height)
    // A thread that dies outside of any extract died of a bug of ours, somewhere in what it held.
    const isBug = atFault === undefined && failure !== undefined
    const error = new IndexerError("WORKER_FAILED", `${worker} ${message}`)
    const code = isBug ? "BUG" : error.code
    try {
      await leases.release(lease, {
        cause: isAtFault ? "failure" : isBug ? "bug" : lease.attempt > 1 ? "shutdown" : "withdrawn",
        ...(isAtFault || isBug ? { error: { code, message: error.message } } : {}),
        ...(isAtFault ? { height: busy.height } : {}),
      })
      if (!isAtFault) continue
      isFound = true
      await recordError(app, "app", { worker, range: lease.range, height: busy.height, error })
      logger.warn({ worker, height: busy.height, error: message }, "a worker was ended")
    } catch (releaseError) {
      logger.debug({ error: describeError(releaseError) }, "lease left to the reaper")
    }
  }
  return isFound
}
