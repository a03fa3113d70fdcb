import assert from "node:assert/strict"
import { runWithStops } from "../../faults/stops.js"
import { compareAll, times } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"
import { slowWork } from "../slow-work.js"

const blocksPerStop = 150
/** A range takes about as long as a lease, so that most stops meet one. */
const env = { ...slowWork, RPC_MAX_RPS: "30" }

export const stops: Scenario = {
  name: "stops",
  fault: "SIGSTOP for 1.5 to 3 times the lease, then SIGCONT, processes that ingest and derive",
  count: { quick: 5, full: 200 },
  quickTest: "stopped-process.test.ts",
  async run(scene) {
    const blocks = Math.max(600, scene.count * blocksPerStop)
    const postgres = await scene.postgres()
    const { url: rpcUrl } = await scene.node({ blocks })
    const stage = await scene.stage({ postgres, rpcUrl, roles: "ingest,work", env })
    const [processes, together] = scene.isQuick ? [3, 1] : [6, 3]
    const { recoveryMs, ...facts } = await runWithStops(stage, {
      ...{ processes, stops: scene.count, together, blocks, seed: scene.seed },
      // Between two rounds of stops, and after the last, there is one share of the blocks to do.
      timeoutMs: healWithinMs({
        ...{ blocks: (blocks * together) / (scene.count + 1), callsPerSecond: Number(env.RPC_MAX_RPS) },
      }),
    })
    // What a stop is for: somebody comes back to a lease that is another's by now.
    assert.ok(facts.refusals > 0, JSON.stringify(facts))
    const compared = await compareAll(stage, { against: { postgres, rpcUrl }, head: blocks })
    return { times: scene.count, compared, recovery: times(recoveryMs), facts: { blocks, ...facts } }
  },
}
