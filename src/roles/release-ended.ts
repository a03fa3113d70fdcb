// Releases the leases of a work thread that ended. An extract that ran past its deadline or out of memory is charged to its
// worker and block. A thread that died outside of any extract met a bug of Tidemark's own, somewhere in what it held.

import type { Lease, LeaseStore } from "../coordination/lease-store.js"
import { containsHeight } from "../domain/range-set.js"
import { recordError } from "../indexing-errors/record-error.js"
import { describeError, IndexerError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import type { Queryable } from "../postgres/transaction.js"
import type { Busy } from "../workers/derive-progress.js"
import type { WorkerRegistry } from "../workers/worker-registry.js"

export interface ReleaseEndedDeps {
  readonly registry: WorkerRegistry
  readonly leases: Pick<LeaseStore, "release" | "renew">
  readonly app: Queryable
  readonly logger: Logger
  readonly deadlineMs: number
  readonly memoryMb: number
}

interface EndedThread {
  /** What the thread was extracting when it ended. */
  readonly busy: Busy | undefined
  /** Terminated at the deadline. */
  readonly overdue: boolean
  readonly leases: readonly Lease[]
  readonly failure: unknown
}

/** Returns true when a worker and its block were found at fault. */
export async function releaseEnded(
  { registry, leases, app, logger, deadlineMs, memoryMb }: ReleaseEndedDeps,
  { busy, overdue, leases: held, failure }: EndedThread,
): Promise<boolean> {
  const atFault = busy ? registry.workers[busy.worker]?.name : undefined
  const isBug = atFault === undefined && failure !== undefined
  const isOutOfMemory = (failure as { code?: string } | undefined)?.code === "ERR_WORKER_OUT_OF_MEMORY"
  const message = overdue
    ? `did not return within ${deadlineMs} ms`
    : isOutOfMemory
      ? `took more than ${memoryMb} MB of memory`
      : failure
        ? describeError(failure)
        : "its thread exited"
  let isFound = false
  for (const lease of held) {
    const { workerType: worker, range } = lease
    const height = busy && atFault === worker && containsHeight([range], busy.height) ? busy.height : undefined
    const isAtFault = height !== undefined
    const error = new IndexerError("WORKER_FAILED", `${worker} ${message}`)
    const code = isBug ? "BUG" : error.code
    try {
      const isReleased = await leases.release(lease, {
        cause: isAtFault ? "failure" : isBug ? "bug" : lease.attempt > 1 ? "shutdown" : "withdrawn",
        ...(isAtFault || isBug ? { error: { code, message: error.message } } : {}),
        ...(isAtFault ? { height } : {}),
      })
      if (isBug && isReleased) await recordError(app, "app", { worker, range, error: failure, isBug })
      if (!isAtFault) continue
      isFound = true
      await recordError(app, "app", { worker, range, height, error })
      logger.warn({ worker, height, error: message }, "a worker was ended")
    } catch (releaseError) {
      logger.debug({ error: describeError(releaseError) }, "lease left to the reaper")
    }
  }
  return isFound
}
