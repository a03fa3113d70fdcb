// Runs the steps of a repair plan. The order matters. Lookups come first, since a rollback finds them by their rows.
// State comes before heights are reopened, since the undo subtracts the stored events and expects state to contain
// exactly them.

import { intersect, union } from "../domain/range-set.js"
import type { RollbackDeps } from "../rollback/rollback-deps.js"
import { reopenHeights } from "../workers/postgres/reopen-heights.js"
import { refetchBlocks } from "./refetch-blocks.js"
import { repairLookups } from "./repair-lookups.js"
import type { RepairPlan } from "./repair-plan.js"
import { deleteStrayRows, refold } from "./repair-rows.js"

export async function repairStore(
  deps: RollbackDeps,
  { plan, actor }: { plan: RepairPlan; actor: string },
): Promise<void> {
  const { raw, app, ledgers } = deps
  await repairLookups({ raw, ledger: ledgers.raw }, { ...plan, actor })
  const isRaw = ({ table }: { table: string }): boolean => table.startsWith("raw.")
  await deleteStrayRows({ executor: raw, ledger: ledgers.raw }, { deleteRows: plan.deleteRows.filter(isRaw), actor })
  await refold(deps, { ...plan, actor })
  for (const heights of plan.refetch) await refetchBlocks(deps, { heights, actor })
  for (const { worker, heights } of plan.rederive) {
    // The steps before may have removed some of these heights, with a block or with a dependency.
    const covered = (await ledgers.app.readCoverage(app)).get(worker)
    const open = intersect(heights, union(covered?.heights ?? [], covered?.skipped ?? []))
    if (open.length > 0) await reopenHeights(deps, { worker, heights: open, actor, action: "repair" })
  }
  // Last, since the undo of dependents above reads these rows.
  const derived = plan.deleteRows.filter((one) => !isRaw(one))
  await deleteStrayRows({ executor: app, ledger: ledgers.app }, { deleteRows: derived, actor })
}
