import assert from "node:assert/strict"
import { runWithPostgresAway } from "../../faults/postgres-away.js"
import { compareRaw, times } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"
import { slowWork } from "../slow-work.js"

export const postgresAway: Scenario = {
  name: "postgres-away",
  fault: "Postgres stopped at once and away for a while",
  count: { quick: 1, full: 1 },
  quickTest: "postgres-away.test.ts",
  async run(scene) {
    const blocks = scene.isQuick ? 1_000 : 20_000
    const awayMs = scene.isQuick ? 8_000 : 60_000
    const postgres = await scene.postgres()
    const { url: rpcUrl } = await scene.node({ blocks })
    const stage = await scene.stage({ postgres, rpcUrl, env: slowWork })
    const facts = await runWithPostgresAway(stage, {
      ...{ postgres, processes: scene.isQuick ? 2 : 6, blocks, awayMs, resumeWithinMs: 60_000 },
      timeoutMs: healWithinMs({ blocks, callsPerSecond: Number(slowWork.RPC_MAX_RPS) }),
    })
    assert.equal(facts.processesEnded, 0)
    assert.ok(facts.highestAttempt <= 3, `a lease needed ${facts.highestAttempt} attempts`)
    const compared = await compareRaw(stage, { against: { postgres, rpcUrl }, head: blocks })
    return { times: 1, compared, recovery: times([facts.resumedMs]), facts: { blocks, awayMs, ...facts } }
  },
}
