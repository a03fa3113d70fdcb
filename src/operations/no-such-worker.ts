// What is said of a name that is none of the workers a person may name, with those there are.

import { rawIngester } from "../coordination/raw-ingester.js"
import { IndexerError } from "../platform/errors.js"
import { readStoredWorkers } from "../workers/read-stored-workers.js"
import type { OperatedChain } from "./operated-chain.js"

export async function noSuchWorker({ name, app }: OperatedChain, worker: string): Promise<IndexerError> {
  const known = await derivedWorkerNames(app)
  const list =
    known.length === 0 ? "none yet: a process with the role work makes their tables when it starts" : known.join(", ")
  return new IndexerError(
    "NOT_FOUND",
    worker === rawIngester
      ? `${rawIngester} is no worker that derives: it runs in every process with the role ingest, and stops with it. Workers of ${name} are ${list}.`
      : `${name} has no worker ${JSON.stringify(worker)}; it has ${list}.`,
  )
}

export const derivedWorkerNames = async (app: OperatedChain["app"]): Promise<readonly string[]> =>
  (await readStoredWorkers(app)).map(({ name }) => name)
