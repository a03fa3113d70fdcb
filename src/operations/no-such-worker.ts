// NOT_FOUND for a name that is not a worker, with the names that are.

import { rawIngester } from "../coordination/raw-ingester.js"
import { IndexerError } from "../platform/errors.js"
import { readStoredWorkers } from "../workers/read-stored-workers.js"
import type { OperatedChain } from "./operated-chain.js"

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
