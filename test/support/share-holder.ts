// A process that sends as much as its share of a limit allows: `share-holder.ts '{ "url", "node", "limit", "leaseMs", "n" }'`.
// Ends with its parent.

import { postgresRateShares } from "../../src/coordination/postgres/postgres-rate-shares.js"
import { RateShareKeeper } from "../../src/coordination/rate-share-keeper.js"
import { systemClock } from "../../src/platform/clock.js"
import { silentLogger } from "../../src/platform/logger.js"
import { systemRandom } from "../../src/platform/random.js"
import { Database } from "../../src/postgres/database.js"
import { createSharedLimit, SharedLimit } from "../../src/source/shared-limit.js"
import { setShare, takeUse } from "../../src/source/shared-rate.js"

interface Options {
  readonly url: string
  readonly node: string
  readonly limit: number
  readonly leaseMs: number
  readonly n: number
}

const { url, node, limit, leaseMs, n } = JSON.parse(process.argv[2]!) as Options
const handle = createSharedLimit({ maxRps: 1 })
const deps = { clock: systemClock, random: systemRandom, logger: silentLogger }
const keeper = new RateShareKeeper({
  ...deps,
  ...{ limit, leaseMs, intervalMs: leaseMs / 15 },
  shares: postgresRateShares(new Database({ url, applicationName: "share holder", maxConnections: 1 })),
  processId: `00000000-0000-4000-8000-0000000000b${n}`,
  takeUse: () => takeUse(handle.memory),
  apply: (callsPerSecond) => setShare(handle.memory, callsPerSecond),
})
process.stdin.once("end", () => process.exit()).resume()
await keeper.runOnce()
keeper.start()
const shared = new SharedLimit(deps, handle)
const { signal } = new AbortController()
for (;;) {
  await shared.acquire({ cost: () => 1, leaseMs: 1_000, signal })
  void fetch(node, { method: "POST", body: "x" }).then(
    (answer) => answer.arrayBuffer(),
    () => undefined,
  )
}
