// I5: what a reader is told to be complete never exceeds what is there, and falls only with a rollback that is on record in the same
// transaction. (That rows are there for it is I3.)

import { type RangeSet, subtract, union } from "../../../src/domain/range-set.js"
import type { Checker } from "../world.js"

export const watermarkFallsByRollback: Checker = {
  invariant: "I5",
  onCommit(world, committed) {
    if (world.wentBack) return
    const { database } = committed
    const removed = committed
      .of("rollbacks")
      .flatMap(({ after }) => (after ? [after["removed"] as { from: number; to: number }] : []))
    for (const { before, after } of committed.of("coverage")) {
      if (!before || !after) continue
      const set = (values: Record<string, unknown>): RangeSet =>
        union(values["heights"] as RangeSet, values["skipped"] as RangeSet)
      const lost = subtract(subtract(set(before), set(after)), union(removed, []))
      if (lost.length > 0)
        return world.fail(
          "I5",
          `${after["worker_type"]} of ${database.name} lost ${JSON.stringify(lost)} without a rollback`,
        )
    }
  },
}
