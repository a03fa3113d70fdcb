// For a worker that is derived anew: its contracts are looked at once more. What they answered stays, and is not asked again.

import type { Queryable } from "../../../../postgres/transaction.js"
import { metadataWorker } from "./metadata-worker.js"

export async function forgetQueue(tx: Queryable, workers: readonly string[]): Promise<void> {
  if (workers.includes(metadataWorker.name)) {
    await tx.query("update app.token_metadata_queue set heights = '{}'")
  }
}
