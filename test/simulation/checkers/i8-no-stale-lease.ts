// I8: once everything has healed nobody holds a lease for longer than its time and a few rounds of the reaper.

import { timing } from "../sim-process.js"
import { type Checker, unfinishedLeases, type World } from "../world.js"

export const noStaleLease: Checker = { invariant: "I8", sample: check, atEnd: check }

/** A reaper's statements may have to wait for whom it ends. */
const slackMs = timing.reapMs * 2 + 3_000

function check(world: World): void {
  const { scheduler, plan, startedAt } = world
  if (!world.healed || scheduler.now < startedAt + plan.faultyMs + timing.leaseTtlMs + slackMs) return
  for (const database of [world.raw, world.app]) {
    for (const lease of unfinishedLeases(database)) {
      const overdue = scheduler.now - (lease["lease_expires_at"] as number)
      if (lease["status"] === "ACTIVE" && overdue > slackMs)
        world.fail(
          "I8",
          `a lease of ${lease["worker_type"]} ended ${Math.round(overdue)} ms ago and is held by ${lease["leased_by"]}`,
        )
    }
  }
}
