// Deletes uncovered rows, and recomputes wrong rows of state tables. Decides by the coverage that it reads under the
// exclusive chain lock.

import type { CoverageLedger } from "../coordination/coverage-ledger.js"
import { subtract } from "../domain/range-set.js"
import { printMultirange } from "../postgres/multirange.js"
import { quoteTable } from "../postgres/quote-identifier.js"
import type { SqlExecutor } from "../postgres/transaction.js"
import { recomputeFold } from "../workers/postgres/recompute-fold.js"
import type { ReopenDeps } from "../workers/postgres/reopen-heights.js"
import { heightsOf } from "./check-coverage.js"
import { heightColumn } from "./check-stray-rows.js"
import { repairLimits } from "./repair-lookups.js"
import type { RepairPlan } from "./repair-plan.js"

export async function deleteStrayRows(
  { executor, ledger }: { executor: SqlExecutor; ledger: CoverageLedger },
  { deleteRows, actor }: Pick<RepairPlan, "deleteRows"> & { actor: string },
): Promise<void> {
  if (deleteRows.length === 0) return
  await executor.transaction(async (tx) => {
    await ledger.lockChain(tx, "exclusive")
    const coverage = await ledger.readCoverage(tx)
    for (const { table, worker, heights } of deleteRows) {
      const column = heightColumn(table)
      for (const { from, to } of subtract(heights, heightsOf(coverage, worker))) {
        await tx.query(`delete from ${quoteTable(table)} where ${column} >= $1 and ${column} < $2`, [from, to])
      }
      const details = { deleted_uncovered_rows_of: table, heights: printMultirange(heights) }
      await ledger.writeAudit(tx, { actor, action: "repair", details })
    }
  }, repairLimits)
}

export async function refold(
  { app, ledgers: { app: ledger }, storedWorkers }: ReopenDeps,
  { refold: tables, actor }: Pick<RepairPlan, "refold"> & { actor: string },
): Promise<void> {
  if (tables.length === 0) return
  await app.transaction(async (tx) => {
    await ledger.lockChain(tx, "exclusive")
    const { folds } = await storedWorkers.read(tx)
    const coverage = await ledger.readCoverage(tx)
    for (const { worker, table, keys } of tables) {
      const plan = folds.get(worker)?.find((one) => one.table === table)
      if (!plan) continue
      await recomputeFold(tx, plan, { coverage: heightsOf(coverage, worker), keys })
      const details = { worker_type: worker, folded_anew: table, rows: keys.length }
      await ledger.writeAudit(tx, { actor, action: "repair", details })
    }
  }, repairLimits)
}
