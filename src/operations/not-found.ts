// NOT_FOUND for a worker that does not exist, and for a block that a worker does not have to do.

import type { LeaseStatus } from "../coordination/lease-store.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import { containsHeight } from "../domain/range-set.js"
import { IndexerError } from "../platform/errors.js"
import { readStoredWorkers } from "../workers/read-stored-workers.js"
import { type OperatedChain, unfinishedLeases, type WorkerBlock } from "./operated-chain.js"

/** Names the workers that there are. */
export async function noSuchWorker({ name, app }: OperatedChain, worker: string): Promise<IndexerError> {
  const known = await derivedWorkerNames(app)
  const list =
    known.length === 0 ? "none yet: a process with the role work creates their tables at start" : known.join(", ")
  return new IndexerError(
    "NOT_FOUND",
    worker === rawIngester
      ? `${rawIngester} does not derive: it runs in every process with the role ingest. Workers of ${name} are ${list}.`
      : `${name} has no worker ${JSON.stringify(worker)}; it has ${list}.`,
  )
}

export const derivedWorkerNames = async (app: OperatedChain["app"]): Promise<readonly string[]> =>
  (await readStoredWorkers(app)).map(({ name }) => name)

/** Names the workers that have something there: a DEAD block is often looked for under the wrong worker. */
export async function nothingThere(
  chain: OperatedChain,
  {
    worker,
    height,
    what,
    statuses,
  }: WorkerBlock & { readonly what: string; readonly statuses: readonly LeaseStatus[] },
): Promise<IndexerError> {
  const known = [rawIngester, ...(await derivedWorkerNames(chain.app))]
  if (!known.includes(worker)) {
    return new IndexerError(
      "NOT_FOUND",
      `${chain.name} has no worker ${JSON.stringify(worker)}; it has ${known.join(", ")}.`,
    )
  }
  const others = (await unfinishedLeases(chain)).filter(
    ({ status, range }) => statuses.includes(status) && containsHeight([range], height),
  )
  const hint =
    others.length > 0
      ? `${others.map((lease) => lease.worker).join(", ")} has: name that worker`
      : "`tidemark leases list` shows what there is"
  return new IndexerError("NOT_FOUND", `${worker} of ${chain.name} has ${what} at block ${height}; ${hint}.`)
}
