// I5: coverage shrinks only in a transaction that records a rollback of it, or an operator's act that names the worker
// and the heights. (I3 checks that covered blocks have rows.)

import type { BlockRange } from "../../../src/domain/block-range.js"
import { type RangeSet, subtract, union } from "../../../src/domain/range-set.js"
import { reopenedBy } from "../reopened.js"
import type { Checker } from "../world.js"

export const watermarkFallsByRollback: Checker = {
  invariant: "I5",
  onCommit(world, committed) {
    if (world.wentBack) return
    const { database } = committed
    const removed = committed
      .of("rollbacks")
      .flatMap(({ after }) => (after ? [after["removed"] as BlockRange] : []))
      .filter(({ from, to }) => from < to)
    for (const { before, after } of committed.of("coverage")) {
      if (!before || !after) continue
      const set = (values: Record<string, unknown>): RangeSet =>
        union(values["heights"] as RangeSet, values["skipped"] as RangeSet)
      const worker = after["worker_type"] as string
      const reopened = reopenedBy(committed).flatMap(({ workers, heights }) =>
        workers.includes(worker) ? heights : [],
      )
      const lost = subtract(subtract(set(before), set(after)), union(removed, reopened))
      if (lost.length > 0)
        return world.fail("I5", `${worker} of ${database.name} lost ${JSON.stringify(lost)} without a rollback`)
    }
  },
}
