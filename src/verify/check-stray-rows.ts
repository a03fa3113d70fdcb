// No derived row lies where its worker covers nothing.

import { heightFrom } from "../postgres/postgres-error.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { Queryable } from "../postgres/transaction.js"
import { eventTables } from "../workers/worker-definition.js"
import { type WorkerRegistry, workerSchema } from "../workers/worker-registry.js"
import { type Finding, oneBlock } from "./finding.js"
import type { PieceOptions } from "./raw-piece.js"

export async function checkStrayRows(
  tx: Queryable,
  { registry, range, limit }: PieceOptions & { registry: WorkerRegistry },
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const worker of registry.workers) {
    for (const [name] of eventTables(worker)) {
      const table = `${workerSchema}.${name}`
      const { rows } = await tx.query<{ height: string; count: string }>(
        `select block_height as height, count(*) as count from ${quoteIdentifier(workerSchema, name)}
         where block_height >= $1 and block_height < $2
           and ((select heights from app.coverage where worker_type = $3) @> block_height) is not true
         group by block_height order by block_height limit $4`,
        [range.from, range.to, worker.name, limit],
      )
      for (const row of rows) {
        const heights = oneBlock(heightFrom(row.height))
        findings.push({
          check: "stray-rows",
          table,
          heights,
          message: `${row.count} rows of ${table} at height ${row.height}, which ${worker.name} does not cover`,
          remedy: { kind: "delete-rows", table, worker: worker.name, heights },
        })
      }
    }
  }
  return findings
}
