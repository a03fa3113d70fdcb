// The fence: a lease is completed only by its holder, while it holds it. Other rules would stop most late commits too.

import type { Checker } from "../world.js"

export const fenceHolds: Checker = {
  invariant: "fence",
  onCommit(world, committed) {
    const { connection } = committed
    for (const { before, after } of committed.of("worker_leases")) {
      if (!before || after?.["status"] !== "COMPLETED" || before["status"] === "COMPLETED") continue
      if (before["status"] === "ACTIVE" && before["leased_by"] === connection.host.name) continue
      const state = `${before["status"]} and held by ${before["leased_by"]}`
      return world.fail(
        "fence",
        `${connection.host.name} completed a lease of ${before["worker_type"]} that is ${state}`,
      )
    }
  },
}
