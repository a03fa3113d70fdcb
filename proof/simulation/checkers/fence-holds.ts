// The fence itself: a lease is completed by whoever holds it, while it does, and by nobody else. Other rules would keep most of what a late
// commit writes right; this is the one that is meant to.

import type { Checker } from "../world.js"

export const fenceHolds: Checker = {
  invariant: "fence",
  onCommit(world, committed) {
    const { connection } = committed
    for (const { before, after } of committed.of("worker_leases")) {
      if (!before || after?.["status"] !== "COMPLETED" || before["status"] === "COMPLETED") continue
      if (before["status"] === "ACTIVE" && before["leased_by"] === connection.host.name) continue
      return world.fail(
        "fence",
        `${connection.host.name} completed a lease of ${before["worker_type"]} that is ${before["status"]} and held by ${before["leased_by"]}`,
      )
    }
  },
}
