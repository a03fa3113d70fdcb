// I8: after the faults end, no lease is held for longer than its expiry and one round of the reaper.

import { usualTiming } from "../timing.js"
import { type Checker, unfinishedLeases, type World } from "../world.js"

/** For the statements of the reaper. */
const slackMs = 1_000

export const noStaleLease: Checker = { invariant: "I8", sample: check, atEnd: check }

function check(world: World): void {
  if (!world.healed) return
  const { scheduler, plan, healedAt } = world
  const timing = plan.timing ?? usualTiming
  // The reaper may wait for a silent process until the server ends it: 3 s in a claim, 10 s in a rollback.
  const isSilenced = plan.ambushes.some(({ act }) => act === "silence") || plan.crashes.some(({ silent }) => silent)
  const boundMs = timing.reapMs + (isSilenced ? 10_000 : slackMs)
  for (const database of [world.raw, world.app]) {
    for (const lease of unfinishedLeases(database)) {
      const { worker_type, leased_by, status, lease_expires_at } = lease
      const overdueMs = scheduler.now - Math.max(lease_expires_at as number, healedAt)
      if (status === "ACTIVE" && overdueMs > boundMs)
        world.fail("I8", `a lease of ${worker_type} ended ${Math.round(overdueMs)} ms ago and is held by ${leased_by}`)
    }
  }
}
