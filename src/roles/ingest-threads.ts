// Supervises the ingest threads of one chain: their reports, the rollbacks they record, the connections their lanes lend.

import { Worker } from "node:worker_threads"
import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import { describeError } from "../platform/errors.js"
import { type LaunchedThread, ThreadSupervisor, type ThreadSupervisorOptions } from "../threads/thread-supervisor.js"
import type { FromIngestThread, IngestReport, IngestThreadInput, ToIngestThread } from "./ingest-messages.js"
import { type ReleaseEndedDeps, releaseEnded } from "./release-ended.js"

export interface IngestThreadsOptions
  extends Omit<ThreadSupervisorOptions<IngestThreadInput, FromIngestThread>, "name" | "launch" | "restartBaseMs">,
    ReleaseEndedDeps {
  /** Threads from spawnIngestThread that wait for their input. One that has ended is replaced. */
  readonly spawned: readonly Worker[]
  readonly onReport: (thread: number, report: IngestReport) => void
  readonly onAnnounced: (head: { readonly height: number; readonly at: number }) => void
  readonly onStored: () => void
  /** Finishes the rollback that a thread has recorded. */
  readonly finishRollback: () => Promise<RollbackIntent | undefined>
}

// Room for one 50,000-log block beside the lanes' ordinary work. A thread that needs more must fail.
const maxOldGenerationSizeMb = 384
/** Of all history threads together: more saves garbage collections, but is most of the memory of a second thread. */
const historyYoungGenerationMb = 48
/** Of the head's thread, which has one block at a time. */
const headYoungGenerationMb = 16

/** Loads its modules and waits for its input. Spawned early, it does not delay the start. */
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
  // The supervisor handles its end.
  worker.on("error", () => undefined)
  return worker
}

export interface IngestThreads {
  readonly threads: ThreadSupervisor<IngestThreadInput, ToIngestThread, FromIngestThread>
  /** Resolves when the history lanes of all threads have closed their connections; at once if they may continue. */
  lend(lent: boolean): Promise<void>
}

export function superviseIngest(options: IngestThreadsOptions): IngestThreads {
  const { onReport, onAnnounced, onStored, finishRollback, logger } = options
  const spawned: (Worker | undefined)[] = [...options.spawned]
  /** By running thread: the loan that its lanes have to close their connections for, and what is called then. */
  const lenders = new Map<Worker, { readonly loan: number; readonly closed: () => void }>()
  let lent = false
  let loan = 0
  const rollBack = async (worker: Worker): Promise<void> => {
    const rollback = await finishRollback().catch((error: unknown) => {
      logger.warn({ error: describeError(error) }, "a rollback could not be finished; it is retried every second")
      return undefined
    })
    worker.postMessage({ type: "rolled-back", rollback } satisfies ToIngestThread)
  }
  const launch = (input: IngestThreadInput): LaunchedThread<FromIngestThread> => {
    const waiting = spawned[input.index]
    spawned[input.index] = undefined
    const worker = waiting && waiting.threadId >= 0 ? waiting : spawnIngestThread(input)
    worker.postMessage(input)
    if (lent) worker.postMessage({ type: "lend", lent, loan } satisfies ToIngestThread)
    lenders.set(worker, { loan, closed: () => undefined })
    return {
      worker,
      receive: (message) => {
        if (message.type === "report") onReport(input.index, message)
        else if (message.type === "announced") onAnnounced(message)
        else if (message.type === "stored") onStored()
        else if (message.type === "roll-back") void rollBack(worker)
        else if (message.loan === lenders.get(worker)?.loan) lenders.get(worker)?.closed()
      },
      ended: (end) => {
        lenders.get(worker)?.closed()
        lenders.delete(worker)
        return releaseEnded(options, { ...end, schema: "raw", memoryMb: maxOldGenerationSizeMb })
      },
    }
  }
  const threads = new ThreadSupervisor<IngestThreadInput, ToIngestThread, FromIngestThread>({
    ...options,
    name: "ingest",
    restartBaseMs: 500,
    launch,
  })
  const lend = async (now: boolean): Promise<void> => {
    lent = now
    loan++
    const closed = [...lenders].map(
      ([worker, before]) =>
        new Promise<void>((resolve) => {
          // A loan that ends before its connections are closed is waited for no longer: they are not needed any more.
          before.closed()
          lenders.set(worker, { loan, closed: resolve })
        }),
    )
    threads.send({ type: "lend", lent, loan })
    if (lent) await Promise.all(closed)
  }
  return { threads, lend }
}
