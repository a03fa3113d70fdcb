// Removes observations when a rollback removes the block that they were made at, and clears the queues of rebuilt
// workers.

import type { JobQueue } from "../../../coordination/job-queue.js"
import type { BlockRange } from "../../../domain/block-range.js"
import { allAnswered } from "../../../postgres/all-answered.js"
import { printRange } from "../../../postgres/multirange.js"
import type { Queryable } from "../../../postgres/transaction.js"
import { codeQueue } from "./contract-code/code-question.js"
import { metadataQueue } from "./token-metadata/metadata-question.js"

/**
 * For a rollback, in its transaction and under its lock. Observations at removed heights are deleted and queued again,
 * and contracts that appear there again will be queued. Claims end, since their block may be among the removed ones.
 */
export async function forgetObserved(
  jobs: JobQueue,
  tx: Queryable,
  { removed }: { readonly removed: BlockRange },
): Promise<void> {
  const params = [removed.from, removed.to]
  await allAnswered([
    jobs.endClaims(tx, metadataQueue),
    jobs.endClaims(tx, codeQueue),
    tx.query("update app.queued_heights set heights = heights - $1::int8range::int8multirange", [printRange(removed)]),
    jobs.enqueue(tx, metadataQueue, {
      subjectsSql: `delete from app.token_metadata where asked_at_height >= $1 and asked_at_height < $2
        returning '0x' || encode(contract_address, 'hex') as subject`,
      params,
    }),
    // The code itself stays: its key is its hash.
    jobs.enqueue(tx, codeQueue, {
      subjectsSql: `delete from app.contract_code_hashes where asked_at_height >= $1 and asked_at_height < $2
        returning '0x' || encode(address, 'hex') as subject`,
      params,
    }),
  ])
}

/** For workers that are rebuilt: their contracts are queued again. Answered ones stay and are not asked again. */
export async function forgetQueues(tx: Queryable, workers: readonly string[]): Promise<void> {
  await tx.query("update app.queued_heights set heights = '{}' where worker_type = any($1::text[])", [workers])
}
