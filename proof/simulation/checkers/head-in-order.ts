// Order: the head follower claims no new range above an unfinished one. A failing block does not hold it up.

import { formatRange } from "../../../src/domain/block-range.js"
import { type Checker, leaseRange, unfinishedLeases } from "../world.js"

export const headInOrder: Checker = {
  invariant: "order",
  onCommit(world, committed) {
    if (committed.database !== world.raw) return
    const finalized = world.raw.table("raw.chain_state").rows.get("one")!.committed!["finalized_height"]
    for (const { before, after } of committed.of("worker_leases")) {
      if (before || after?.["status"] !== "ACTIVE") continue
      const claimed = leaseRange(after)
      if (finalized === null || claimed.from < Number(finalized)) continue
      for (const lease of unfinishedLeases(world.raw)) {
        const range = leaseRange(lease)
        const isFailingBlock = lease["status"] !== "ACTIVE" && range.to === range.from + 1
        if (isFailingBlock || range.from >= claimed.from || range.to <= Number(finalized)) continue
        return world.fail(
          "order",
          `the head claims ${formatRange(claimed)} above the unfinished ${formatRange(range)}`,
        )
      }
    }
  },
}
