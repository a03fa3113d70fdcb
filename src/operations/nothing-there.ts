// NOT_FOUND where a worker has nothing to retry or skip. Names the workers that have: a DEAD block is often looked for
// under the wrong worker.

import type { LeaseStatus } from "../coordination/lease-store.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import { containsHeight } from "../domain/range-set.js"
import { IndexerError } from "../platform/errors.js"
import { derivedWorkerNames } from "./no-such-worker.js"
import { type OperatedChain, unfinishedLeases, type WorkerBlock } from "./operated-chain.js"

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
      ? `${others.map((lease) => lease.workerType).join(", ")} has: name that worker`
      : "`tidemark leases list` shows what there is"
  return new IndexerError("NOT_FOUND", `${worker} of ${chain.name} has ${what} at block ${height}; ${hint}.`)
}
