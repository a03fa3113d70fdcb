// An app database with the empty tables, indexes and partitions of all built-in workers, to be cloned for each run: the
// product finds its tables made, and the bare COPY has the same ones.

import { builtInWorkers } from "../../src/families/evm/indexes/built-in-workers.js"
import { ensurePartitions } from "../../src/partitions/ensure-partitions.js"
import { Connection } from "../../src/postgres/connection.js"
import { ensureWorkerTables } from "../../src/workers/postgres/ensure-worker-tables.js"
import { WorkerRegistry } from "../../src/workers/worker-registry.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import type { BenchPostgres } from "./bench-postgres.js"

export const derivedTemplate = "bench_derived"

export async function makeDerivedTemplate(
  postgres: BenchPostgres,
  { blocks }: { blocks: number },
): Promise<WorkerRegistry> {
  const registry = new WorkerRegistry(builtInWorkers)
  const connection = await Connection.open({
    url: await postgres.freshDatabase(derivedTemplate),
    applicationName: "tidemark bench",
  })
  await ensureWorkerTables({ executor: connection, ledger: testLedgers.app }, { registry })
  await ensurePartitions(connection, { tables: registry.partitionedTables(), range: { from: 0, to: blocks } })
  await connection.end()
  return registry
}
