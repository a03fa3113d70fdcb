// I8: once everything has healed nobody holds a lease for longer than its time and a few rounds of the reaper.

import { usualTiming } from "../timing.js"
import { type Checker, unfinishedLeases, type World } from "../world.js"

export const noStaleLease: Checker = { invariant: "I8", sample: check, atEnd: check }

function check(world: World): void {
  const { scheduler, plan, startedAt } = world
  const timing = plan.timing ?? usualTiming
  // A reaper may have to wait for somebody whom only the server ends: 3 s in a claim, 10 s in a rollback.
  const isSilenced = [...plan.ambushes, ...plan.crashes].some((one) =>
    "act" in one ? one.act === "silence" : one.silent,
  )
  const slackMs = timing.reapMs * 2 + (isSilenced ? 10_000 : 3_000)
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
