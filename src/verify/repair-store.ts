// Mends what can be mended. The order matters: lookups first, since blocks that are taken back find theirs by their rows; state
// before heights are reopened, since undoing takes the events that are there out of it, and they have to be what is in it.

import { intersect, union } from "../domain/range-set.js"
import type { Queryable } from "../postgres/transaction.js"
import type { RollbackDeps } from "../rollback/finish-rollback.js"
import { reopenHeights } from "../workers/postgres/reopen-heights.js"
import { mendLookups } from "./mend-lookups.js"
import { deleteStrayRows, refold } from "./mend-rows.js"
import { refetchBlocks } from "./refetch-blocks.js"
import type { RepairPlan } from "./repair-plan.js"

export async function repairStore<Tx extends Queryable>(
  deps: RollbackDeps<Tx>,
  { plan, actor }: { plan: RepairPlan; actor: string },
): Promise<void> {
  const { raw, app, ledgers } = deps
  await mendLookups({ raw, ledger: ledgers.raw }, { ...plan, actor })
  const isRaw = ({ table }: { table: string }): boolean => table.startsWith("raw.")
  await deleteStrayRows(
    { executor: raw, ledger: ledgers.raw },
    { deleteRows: plan.deleteRows.filter(isRaw), actor },
  )
  await refold({ app, ledger: ledgers.app }, { ...plan, actor })
  for (const heights of plan.refetch) await refetchBlocks(deps, { heights, actor })
  for (const { worker, heights } of plan.rederive) {
    // Without what went with a block that was taken back, or with a worker it depends on.
    const covered = (await ledgers.app.readCoverage(app)).get(worker)
    const open = intersect(heights, union(covered?.heights ?? [], covered?.skipped ?? []))
    if (open.length > 0)
      await reopenHeights(
        { executor: app, ledger: ledgers.app },
        { worker, heights: open, actor, action: "repair" },
      )
  }
  // Last: folds of dependents that were just undone took them out of their state by these rows.
  const derived = plan.deleteRows.filter((one) => !isRaw(one))
  await deleteStrayRows({ executor: app, ledger: ledgers.app }, { deleteRows: derived, actor })
}
