// The ingest threads of one chain: what they announce, the rollbacks they record, and the connections their lanes lend.

import { Worker } from "node:worker_threads"
import type { RollbackIntent } from "../coordination/rollback-ledger.js"
import { describeError } from "../platform/errors.js"
import { type LaunchedThread, ThreadSupervisor, type ThreadSupervisorOptions } from "../threads/thread-supervisor.js"
import type { FromIngestThread, IngestReport, IngestThreadInput, ToIngestThread } from "./ingest-messages.js"

export interface IngestThreadsOptions
  extends Omit<ThreadSupervisorOptions<IngestThreadInput, FromIngestThread>, "name" | "launch" | "restartBaseMs"> {
  /** Threads from spawnIngestThread that wait for their input, one for each; those that have ended are spawned again. */
  readonly spawned: readonly Worker[]
  readonly onReport: (thread: number, report: IngestReport) => void
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

export interface IngestThreads {
  readonly threads: ThreadSupervisor<IngestThreadInput, ToIngestThread, FromIngestThread>
  /** Resolves when the history lanes of all threads have closed their connections; at once when they may go on. */
  lend(lent: boolean): Promise<void>
}

export function superviseIngest(options: IngestThreadsOptions): IngestThreads {
  const { onReport, onAnnounced, onStored, finishRollback, logger } = options
  const spawned: (Worker | undefined)[] = [...options.spawned]
  /** Of the threads that run: to be called when their lanes have closed their connections. */
  const lenders = new Map<Worker, () => void>()
  let lent = false
  const rollBack = async (worker: Worker): Promise<void> => {
    const rollback = await finishRollback().catch((error: unknown) => {
      logger.warn({ error: describeError(error) }, "a rollback could not be finished; it is tried again every second")
      return undefined
    })
    worker.postMessage({ type: "rolled-back", rollback } satisfies ToIngestThread)
  }
  const launch = (input: IngestThreadInput): LaunchedThread<FromIngestThread> => {
    const waiting = spawned[input.index]
    spawned[input.index] = undefined
    const worker = waiting && waiting.threadId >= 0 ? waiting : spawnIngestThread(input)
    worker.postMessage(input)
    if (lent) worker.postMessage({ type: "lend", lent } satisfies ToIngestThread)
    lenders.set(worker, () => undefined)
    return {
      worker,
      receive: (message) => {
        if (message.type === "report") onReport(input.index, message)
        else if (message.type === "announced") onAnnounced(message)
        else if (message.type === "stored") onStored()
        else if (message.type === "roll-back") void rollBack(worker)
        else lenders.get(worker)?.()
      },
      // Its leases are left to the reaper, which knows that their backends are gone.
      ended: async () => {
        lenders.get(worker)?.()
        lenders.delete(worker)
        return false
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
    const closed = [...lenders.keys()].map((worker) => new Promise<void>((resolve) => lenders.set(worker, resolve)))
    threads.send({ type: "lend", lent })
    if (lent) await Promise.all(closed)
  }
  return { threads, lend }
}
