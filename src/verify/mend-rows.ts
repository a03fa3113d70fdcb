// Deletes rows that no coverage stands for, and folds spoiled rows of state tables anew. Under the exclusive chain lock, by
// the coverage as it is there.

import { chainLock, coordinationTables } from "../coordination/postgres/coordination-tables.js"
import { printMultirange } from "../postgres/multirange.js"
import { quoteTable } from "../postgres/quote-identifier.js"
import type { SqlExecutor } from "../postgres/sql-executor.js"
import type { Queryable } from "../postgres/transaction.js"
import { recomputeFold } from "../workers/postgres/recompute-fold.js"
import { readStoredRegistry } from "../workers/postgres/stored-registry.js"
import { heightsOf, readCoverage } from "./check-coverage.js"
import { mendLimits } from "./mend-lookups.js"
import type { RepairPlan } from "./repair-plan.js"

export async function deleteStrayRows<Tx extends Queryable>(
  executor: SqlExecutor<Tx>,
  { schema, deleteRows, actor }: Pick<RepairPlan, "deleteRows"> & { schema: "raw" | "app"; actor: string },
): Promise<void> {
  if (deleteRows.length === 0) return
  const { coverage, auditLog } = coordinationTables(schema)
  await executor.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock($1, $2)", [...chainLock])
    for (const { table, worker, heights } of deleteRows) {
      const column = table === "raw.blocks" ? "height" : "block_height"
      for (const { from, to } of heights) {
        await tx.query(
          `delete from ${quoteTable(table)} where ${column} >= $1 and ${column} < $2
             and ((select heights from ${coverage} where worker_type = $3) @> ${column}) is not true`,
          [from, to, worker],
        )
      }
      await tx.query(`insert into ${auditLog} (actor, action, details) values ($1, 'repair', $2)`, [
        actor,
        JSON.stringify({ deleted_uncovered_rows_of: table, heights: printMultirange(heights) }),
      ])
    }
  }, mendLimits)
}

export async function refold<Tx extends Queryable>(
  app: SqlExecutor<Tx>,
  { refold: tables, actor }: Pick<RepairPlan, "refold"> & { actor: string },
): Promise<void> {
  if (tables.length === 0) return
  await app.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock($1, $2)", [...chainLock])
    const { folds } = await readStoredRegistry(tx)
    const coverage = await readCoverage(tx, "app")
    for (const { worker, table, keys } of tables) {
      const plan = folds.get(worker)?.find((one) => one.table === table)
      if (!plan) continue
      await recomputeFold(tx, plan, { coverage: heightsOf(coverage, worker), keys })
      await tx.query("insert into app.audit_log (actor, action, details) values ($1, 'repair', $2)", [
        actor,
        JSON.stringify({ worker_type: worker, folded_anew: table, rows: keys.length }),
      ])
    }
  }, mendLimits)
}
