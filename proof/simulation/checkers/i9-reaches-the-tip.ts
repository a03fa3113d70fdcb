// I9: once everything has healed, the tip is reached within a minute, in raw and by every worker.

import { countHeights, union } from "../../../src/domain/range-set.js"
import type { Values } from "../model/model-table.js"
import type { SimBlock } from "../sim-chain.js"
import { simRegistry, simWorkerNames } from "../sim-workers.js"
import { coverageOf, unfinishedLeases, type World } from "../world.js"

export const reachTipMs = 60_000

/** Undefined when all is done; else what is not. */
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
    // What depends on a worker that cannot take a block cannot have it either.
    const lacking = [...poisoned.values()].filter(
      (poison) => poison === worker || simRegistry.dependentsOf(poison).some(({ name }) => name === worker),
    ).length
    const { heights, skipped } = coverageOf(app, worker)
    const done = countHeights(union(heights, skipped))
    if (done !== length - lacking) return `${worker} has ${done} of ${length - lacking} blocks`
  }
  // The worker has to have tried it: a block that nobody has claimed yet is not dead, and the run not over.
  for (const [height, worker] of poisoned) {
    const isDead = [...unfinishedLeases(app)].some(
      (lease) => lease["worker_type"] === worker && lease["from_height"] === height && lease["status"] === "DEAD",
    )
    if (!isDead) return `block ${height}, which ${worker} cannot take, is not DEAD`
  }
  // One that was tried together with the worker that cannot take the block.
  const isHeldUp = (lease: Values): boolean =>
    simRegistry
      .dependentsOf(poisoned.get(lease["from_height"] as number) ?? "")
      .some(({ name }) => name === lease["worker_type"])
  // What is left of a claim of blocks that the chain had before it became shorter: due when it has them again.
  const isAhead = (lease: Values): boolean =>
    lease["status"] === "FAILED" && (lease["from_height"] as number) >= length
  for (const database of [raw, app])
    for (const lease of unfinishedLeases(database))
      if (lease["status"] !== "DEAD" && !isHeldUp(lease) && !isAhead(lease))
        return `${lease["worker_type"]} has [${lease["from_height"]}, ${lease["to_height"]}) ${lease["status"]}, attempt ${lease["attempt"]}, of ${length}`
  return undefined
}
