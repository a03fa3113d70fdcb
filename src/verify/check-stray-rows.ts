// No derived row lies at a height that its worker does not cover.

import type { Queryable } from "../postgres/transaction.js"
import { eventTables } from "../workers/worker-definition.js"
import { type WorkerRegistry, workerSchema } from "../workers/worker-registry.js"
import { findUncoveredRows } from "./find-uncovered-rows.js"
import type { Finding } from "./finding.js"
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
