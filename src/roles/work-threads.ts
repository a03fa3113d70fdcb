// Supervises the work threads of one chain, and terminates one whose extract runs past its deadline.

import { Worker } from "node:worker_threads"
import type { LeaseStore } from "../coordination/lease-store.js"
import { LoopingService } from "../platform/looping-service.js"
import type { ServiceDeps } from "../platform/service.js"
import { type LaunchedThread, ThreadSupervisor, type ThreadSupervisorOptions } from "../threads/thread-supervisor.js"
import { type Busy, DeriveProgress } from "../workers/derive-progress.js"
import type { WorkerRegistry } from "../workers/worker-registry.js"
import { type ReleaseEndedDeps, releaseEnded } from "./release-ended.js"
import type { FromWorkThread, ToWorkThread, WorkReport, WorkThreadInput } from "./work-messages.js"

type Input = Omit<WorkThreadInput, "progress">

export interface WorkThreadsOptions
  extends Omit<ThreadSupervisorOptions<Input, FromWorkThread>, "name" | "launch" | "restartBaseMs">,
    Omit<ReleaseEndedDeps, "leases"> {
  readonly leases: Pick<LeaseStore, "release">
  readonly registry: WorkerRegistry
  readonly builtIn: ReadonlySet<string>
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
  /** What it was busy with at the last check, and since when. */
  seen: (Busy & { readonly since: number }) | undefined
  overdue: boolean
}

/** Terminates threads whose extract has been at the same block for too long. */
export class ExtractWatch extends LoopingService {
  private readonly deadlineMs: number

  constructor(
    private readonly threads: ReadonlySet<Watched>,
    options: ServiceDeps & { readonly deadlineMs: number },
  ) {
    super({ ...options, name: "extract-watch", intervalMs: watchMs })
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
  }
}

export function superviseWork(options: WorkThreadsOptions): {
  readonly threads: WorkThreads
  readonly watch: ExtractWatch
} {
  const { registry, builtIn, deadlineMs, memoryMb, onReport, onDerived } = options
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
        const busy = progress.read()
        const name = busy && registry.workers[busy.worker]?.name
        const extracting = name ? { worker: name, height: busy.height, isBuiltIn: builtIn.has(name) } : undefined
        const overdueMs = thread.overdue ? deadlineMs : undefined
        return releaseEnded(options, { schema: "app", extracting, overdueMs, memoryMb, leases, failure })
      },
    }
  }
  const threads: WorkThreads = new ThreadSupervisor({
    ...options,
    name: "work",
    restartBaseMs: 100,
    launch,
  })
  return { threads, watch: new ExtractWatch(watched, options) }
}
