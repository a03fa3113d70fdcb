// I5: what a reader is told to be complete never exceeds what is there, and falls only with a rollback, or with an act of a person that names
// worker and heights, that is on record in the same transaction. (That rows are there for it is I3.)

import { type RangeSet, subtract, union } from "../../../src/domain/range-set.js"
import { givenBack } from "../given-back.js"
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
      const worker = after["worker_type"] as string
      const given = givenBack(committed).flatMap(({ workers, heights }) => (workers.includes(worker) ? heights : []))
      const lost = subtract(subtract(set(before), set(after)), union(removed, given))
      if (lost.length > 0)
        return world.fail("I5", `${worker} of ${database.name} lost ${JSON.stringify(lost)} without a rollback`)
    }
  },
}
