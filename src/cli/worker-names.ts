// Workers a person may name, and what is said of a name that is none of them.

import { IndexerError } from "../platform/errors.js"
import { rawIngester } from "../raw/raw-ingester.js"
import { readStoredWorkers } from "../workers/read-stored-workers.js"
import { type FoundChain, isMissingSchema, missingSchema } from "./find-chains.js"

export async function derivedWorkerNames({ app }: FoundChain): Promise<readonly string[]> {
  try {
    return (await readStoredWorkers(app)).map(({ name }) => name)
  } catch (error) {
    throw isMissingSchema(error) ? missingSchema(app.address, error) : error
  }
}

export function noSuchWorker(
  name: string,
  { chain, known }: { chain: FoundChain; known: readonly string[] },
): IndexerError {
  if (name === rawIngester) {
    return new IndexerError(
      "NOT_FOUND",
      `${rawIngester} is no worker that derives: it runs in every process with the role ingest, and stops with it. Workers of ${chain.name} are ${list(known)}.`,
    )
  }
  return new IndexerError(
    "NOT_FOUND",
    `${chain.name} has no worker ${JSON.stringify(name)}; it has ${list(known)}.`,
  )
}

const list = (known: readonly string[]): string =>
  known.length === 0
    ? "none yet: a process with the role work makes their tables when it starts"
    : known.join(", ")
