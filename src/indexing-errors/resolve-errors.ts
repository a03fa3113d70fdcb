// Closes errors: in the commit that completes their blocks, or by an operator.

import type { BlockRange } from "../domain/block-range.js"
import type { Queryable } from "../postgres/transaction.js"
import type { ErrorSchema } from "./record-error.js"

/** Called in the transaction that covers the range. */
export async function resolveErrors(
  tx: Queryable,
  schema: ErrorSchema,
  { workers, range }: { readonly workers: readonly string[]; readonly range: BlockRange },
): Promise<void> {
  await tx.query(
    `update ${schema}.indexing_errors set resolved = true, updated_at = clock_timestamp()
     where worker_name = any ($1) and block_height >= $2 and block_height < $3 and not resolved`,
    [workers, range.from, range.to],
  )
}

/** Without `workers` or `height`, all match. Returns how many were open, by worker. */
export async function resolveOpenErrors(
  tx: Queryable,
  schema: ErrorSchema,
  { workers, height }: { readonly workers?: readonly string[] | undefined; readonly height?: number | undefined },
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await tx.query<{ worker_name: string; count: string }>(
    `with resolved as (
       update ${schema}.indexing_errors set resolved = true, updated_at = clock_timestamp()
       where not resolved and ($1::text[] is null or worker_name = any ($1))
         and ($2::int8 is null or block_height = $2)
       returning worker_name)
     select worker_name, count(*) as count from resolved group by worker_name order by worker_name`,
    [workers ?? null, height ?? null],
  )
  return new Map(rows.map((row) => [row.worker_name, Number(row.count)]))
}
