// Marks errors as resolved. The same error seen again reopens its row.

import { rawIngester } from "../coordination/raw-ingester.js"
import { resolveOpenErrors } from "../indexing-errors/resolve-errors.js"
import { derivedWorkerNames, noSuchWorker } from "./not-found.js"
import type { OperatedChain } from "./operated-chain.js"

export interface ResolveErrorsOptions {
  readonly actor: string
  /** Left out: of all workers. */
  readonly worker?: string | undefined
  /** Left out: of all blocks. */
  readonly height?: number | undefined
}

/** How many were open, by worker; nothing is audited when none was. */
export async function resolveErrors(
  chain: OperatedChain,
  { actor, worker, height }: ResolveErrorsOptions,
): Promise<ReadonlyMap<string, number>> {
  const resolveIn = (schema: "raw" | "app"): Promise<ReadonlyMap<string, number>> =>
    chain[schema].transaction(async (tx) => {
      const workers = worker === undefined ? undefined : [worker]
      const open = await resolveOpenErrors(tx, schema, { workers, height })
      if (open.size > 0) {
        await chain.ledgers[schema].writeAudit(tx, {
          actor,
          action: "resolve",
          details: { errors: Object.fromEntries(open), ...(height === undefined ? {} : { height }) },
        })
      }
      return open
    })
  const counts = new Map([...(await resolveIn("raw")), ...(await resolveIn("app"))])
  // A worker that is gone may have left errors; one that never was has none.
  if (counts.size === 0 && worker !== undefined && worker !== rawIngester) {
    if (!(await derivedWorkerNames(chain.app)).includes(worker)) throw await noSuchWorker(chain, worker)
  }
  return counts
}
