// Releases the leases of a thread that ended. An extract that ran past its deadline or out of memory is charged to its
// worker and block. Everything else that ends a thread is a bug of Tidemark's own, somewhere in what it held.

import type { Lease, LeaseStore } from "../coordination/lease-store.js"
import { containsHeight } from "../domain/range-set.js"
import { type ErrorSchema, recordError } from "../indexing-errors/record-error.js"
import { describeError, IndexerError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import type { Queryable } from "../postgres/transaction.js"

export interface ReleaseEndedDeps {
  readonly leases: Pick<LeaseStore, "release">
  /** Where the leases are. */
  readonly database: Queryable
  readonly logger: Logger
}

export interface EndedThread {
  readonly schema: ErrorSchema
  /** What the thread was extracting when it ended. */
  readonly extracting?: { readonly worker: string; readonly height: number; readonly isBuiltIn: boolean } | undefined
  /** Terminated at this deadline. */
  readonly overdueMs?: number | undefined
  readonly memoryMb: number
  readonly leases: readonly Lease[]
  readonly failure: unknown
}

/** Returns true when a worker and its block were found at fault. */
export async function releaseEnded(
  { leases, database, logger }: ReleaseEndedDeps,
  thread: EndedThread,
): Promise<boolean> {
  const { schema, extracting, leases: held, failure } = thread
  const message = reasonOf(thread)
  let isFound = false
  for (const lease of held) {
    const { worker, range } = lease
    const isAtFault = extracting?.worker === worker && containsHeight([range], extracting.height)
    const height = isAtFault ? extracting.height : undefined
    const isBug = isAtFault ? extracting.isBuiltIn : !extracting && failure !== undefined
    const error = new IndexerError("WORKER_FAILED", `${worker} ${message}`)
    const code = isBug ? "BUG" : error.code
    isFound ||= isAtFault
    if (isAtFault) logger[isBug ? "error" : "warn"]({ worker, height, code, error: message }, "a worker was ended")
    try {
      const isReleased = await leases.release(lease, {
        cause: isBug ? "bug" : isAtFault ? "failure" : lease.attempt > 1 ? "shutdown" : "withdrawn",
        ...(isAtFault || isBug ? { error: { code, message: error.message } } : {}),
        ...(height === undefined ? {} : { height }),
      })
      if (!isReleased || !(isAtFault || isBug)) continue
      await recordError(database, schema, { worker, range, height, error: isAtFault ? error : failure, isBug })
    } catch (releaseError) {
      const fields = { worker, ...range, error: describeError(releaseError) }
      logger.warn(fields, "a lease of an ended thread was not released, or its error not recorded")
    }
  }
  return isFound
}

function reasonOf({ overdueMs, memoryMb, failure }: EndedThread): string {
  if (overdueMs !== undefined) return `did not return within ${overdueMs} ms`
  if (failure === undefined) return "its thread exited"
  const isOutOfMemory = (failure as { code?: string } | null)?.code === "ERR_WORKER_OUT_OF_MEMORY"
  return isOutOfMemory ? `took more than ${memoryMb} MB of memory` : describeError(failure)
}
