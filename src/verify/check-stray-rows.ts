// No derived row lies at a height that its worker does not cover; the same search serves the raw tables.

import { heightFrom } from "../postgres/postgres-error.js"
import { quoteTable } from "../postgres/quote-identifier.js"
import type { Queryable } from "../postgres/transaction.js"
import { eventTables } from "../workers/worker-definition.js"
import { type WorkerRegistry, workerSchema } from "../workers/worker-registry.js"
import { type CheckName, type Finding, oneBlock } from "./finding.js"
import type { PieceOptions } from "./raw-piece.js"

export async function checkStrayRows(
  tx: Queryable,
  { registry, range, limit }: PieceOptions & { registry: WorkerRegistry },
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const worker of registry.workers) {
    for (const [name] of eventTables(worker)) {
      const options = { check: "stray-rows", table: `${workerSchema}.${name}`, worker: worker.name } as const
      findings.push(...(await findUncoveredRows(tx, { ...options, range, limit })))
    }
  }
  return findings
}

/** The column that holds the height of a raw table, or of a worker's event table. */
export const heightColumn = (table: string): string => (table === "raw.blocks" ? "height" : "block_height")

export async function findUncoveredRows(
  tx: Queryable,
  { check, table, worker, range, limit }: PieceOptions & { check: CheckName; table: string; worker: string },
): Promise<Finding[]> {
  const column = heightColumn(table)
  const coverage = table.startsWith("raw.") ? "raw.coverage" : "app.coverage"
  const { rows } = await tx.query<{ height: string; count: string }>(
    `select ${column} as height, count(*) as count from ${quoteTable(table)}
     where ${column} >= $1 and ${column} < $2
       and ((select heights from ${coverage} where worker_type = $3) @> ${column}) is not true
     group by ${column} order by ${column} limit $4`,
    [range.from, range.to, worker, limit],
  )
  return rows.map((row) => {
    const heights = oneBlock(heightFrom(row.height))
    const message = `${row.count} rows of ${table} at height ${row.height}, which ${worker} does not cover`
    return { check, table, heights, message, remedy: { kind: "delete-rows", table, worker, heights } }
  })
}
