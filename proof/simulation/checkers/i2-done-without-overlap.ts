// I2: in the end everything is done, and nothing is done or held twice: unfinished leases of a worker overlap neither
// each other nor its coverage.

import { formatRange, rangesOverlap } from "../../../src/domain/block-range.js"
import { countHeights, intersect, union } from "../../../src/domain/range-set.js"
import type { ModelDatabase } from "../model/model-database.js"
import { simWorkerNames } from "../sim-workers.js"
import { type Checker, coverageOf, leaseRange, unfinishedLeases, type World } from "../world.js"

export const doneWithoutOverlap: Checker = {
  invariant: "I2",
  onCommit(world, committed) {
    for (const { row, after } of committed.of("worker_leases")) {
      if (!after || after["status"] === "COMPLETED") continue
      const range = leaseRange(after)
      for (const other of row.table.hot) {
        const values = other.committed
        if (other === row || !values || values["status"] === "COMPLETED") continue
        if (values["worker_type"] === after["worker_type"] && rangesOverlap(leaseRange(values), range))
          return world.fail(
            "I2",
            `${after["worker_type"]} holds ${formatRange(range)} and ${formatRange(leaseRange(values))}`,
          )
      }
    }
    for (const { after } of committed.of("coverage"))
      if (after) apart(world, committed.database, after["worker_type"] as string)
  },
  atEnd(world) {
    const length = world.chain.blocks.length
    const dead = [...unfinishedLeases(world.app)].filter(({ status }) => status === "DEAD")
    for (const [database, worker] of [
      [world.raw, "raw_ingester"],
      [world.app, "raw_ingester"],
      ...simWorkerNames.map((name) => [world.app, name] as const),
    ] as const) {
      const { heights, skipped } = coverageOf(database, worker)
      const missing = length - countHeights(union(heights, skipped))
      const isDownstream = worker !== "raw_ingester"
      if (missing !== 0 && !(isDownstream && dead.length > 0 && missing <= dead.length))
        world.fail("I2", `${worker} of ${database.name} lacks ${missing} of ${length} blocks`)
    }
  },
}

function apart(world: World, database: ModelDatabase, worker: string): undefined {
  const { heights, skipped } = coverageOf(database, worker)
  if (intersect(heights, skipped).length > 0) return world.fail("I2", `${worker} has done and skipped the same block`)
  for (const lease of unfinishedLeases(database)) {
    if (lease["worker_type"] !== worker) continue
    if (intersect([leaseRange(lease)], heights).length > 0)
      return world.fail("I2", `${worker} has done ${formatRange(leaseRange(lease))}, which is unfinished`)
  }
}
