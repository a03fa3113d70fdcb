// I9: after the faults end, raw and every worker reach the tip within a minute.

import { formatRange } from "../../../src/domain/block-range.js"
import { countHeights, union } from "../../../src/domain/range-set.js"
import type { Values } from "../model/model-table.js"
import type { SimBlock } from "../sim-chain.js"
import { simRegistry, simWorkerNames } from "../sim-workers.js"
import { coverageOf, leaseRange, unfinishedLeases, type World } from "../world.js"

export const reachTipMs = 60_000

/** What is not done, or undefined. */
export function unfinished(world: World): string | undefined {
  const { raw, app, chain } = world
  const length = chain.blocks.length
  const state = raw.table("raw.chain_state").rows.get("one")!.committed!
  if (state["intent_id"] !== null) return "a rollback is open"
  const { rows } = raw.table("raw.blocks")
  const head = rows.get(length - 1)?.committed?.["block"] as SimBlock | undefined
  if (head !== chain.head || rows.size !== length)
    return `raw has ${rows.size} of ${length} blocks, and ${head?.hash ?? "no head"}`
  const covered = coverageOf(raw, "raw_ingester").heights
  if (countHeights(covered) !== length) return `raw covers ${countHeights(covered)} of ${length} blocks`
  const poisoned = new Map<number, string>(
    chain.blocks.flatMap(({ poison, height }) => (poison ? [[height, poison] as const] : [])),
  )
  for (const worker of simWorkerNames) {
    // The dependents of a worker that cannot process a block lack it too.
    const lacking = [...poisoned.values()].filter(
      (poison) => poison === worker || simRegistry.dependentsOf(poison).some(({ name }) => name === worker),
    ).length
    const { heights, skipped } = coverageOf(app, worker)
    const done = countHeights(union(heights, skipped))
    if (done !== length - lacking) return `${worker} has ${done} of ${length - lacking} blocks`
  }
  // Until the worker has tried such a block, it is not DEAD and the run is not over.
  for (const [height, worker] of poisoned) {
    const isDead = [...unfinishedLeases(app)].some(
      (lease) => lease["worker_type"] === worker && lease["from_height"] === height && lease["status"] === "DEAD",
    )
    if (!isDead) return `block ${height}, which ${worker} cannot take, is not DEAD`
  }
  // Tried together with the worker that cannot process the block.
  const isHeldUp = (lease: Values): boolean =>
    simRegistry
      .dependentsOf(poisoned.get(lease["from_height"] as number) ?? "")
      .some(({ name }) => name === lease["worker_type"])
  // A claim of blocks that the chain had before it became shorter. Due when they exist again.
  const isAhead = (lease: Values): boolean =>
    lease["status"] === "FAILED" && (lease["from_height"] as number) >= length
  for (const lease of [...unfinishedLeases(raw), ...unfinishedLeases(app)]) {
    const { worker_type, status, attempt } = lease
    if (status !== "DEAD" && !isHeldUp(lease) && !isAhead(lease))
      return `${worker_type} has ${formatRange(leaseRange(lease))} ${status}, attempt ${attempt}, of ${length}`
  }
  return undefined
}
