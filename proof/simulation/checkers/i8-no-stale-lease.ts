// I8: once everything has healed nobody holds a lease for longer than its time and a round of the reaper.

import { usualTiming } from "../timing.js"
import { type Checker, unfinishedLeases, type World } from "../world.js"

/** For the reaper's own statements, at the slowest. */
const slackMs = 1_000

export const noStaleLease: Checker = { invariant: "I8", sample: check, atEnd: check }

function check(world: World): void {
  if (!world.healed) return
  const { scheduler, plan, healedAt } = world
  const timing = plan.timing ?? usualTiming
  // A reaper may have to wait for somebody whom only the server ends: 3 s in a claim, 10 s in a rollback.
  const isSilenced = [...plan.ambushes, ...plan.crashes].some((one) =>
    "act" in one ? one.act === "silence" : one.silent,
  )
  const boundMs = timing.reapMs + (isSilenced ? 10_000 : slackMs)
  for (const database of [world.raw, world.app]) {
    for (const lease of unfinishedLeases(database)) {
      const overdueMs = scheduler.now - Math.max(lease["lease_expires_at"] as number, healedAt)
      if (lease["status"] === "ACTIVE" && overdueMs > boundMs)
        world.fail(
          "I8",
          `a lease of ${lease["worker_type"]} ended ${Math.round(overdueMs)} ms ago and is held by ${lease["leased_by"]}`,
        )
    }
  }
}
