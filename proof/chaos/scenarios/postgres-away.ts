// The database dies like a machine that lost its power, cannot be reached for a while, and comes back.

import assert from "node:assert/strict"
import { pause } from "../../../test/support/wait-until.js"
import { compareAll, times } from "../compare.js"
import { goingOn } from "../going-on.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"
import { slowWork } from "../slow-work.js"

export const postgresAway: Scenario = {
  name: "postgres-away",
  fault: "Postgres stopped at once and away for a while",
  count: { quick: 1, full: 1 },
  async run(scene) {
    const [blocks, awayMs, processes] = scene.isQuick ? [200, 3_000, 2] : [20_000, 60_000, 6]
    // Leases outlast the outage: only the restart itself can end them, and that must not cost an attempt.
    const lease = String(10 * awayMs)
    const env = { ...slowWork, LEASE_TTL_MS: lease, HEAD_LEASE_TTL_MS: lease }
    const postgres = await scene.postgres()
    const { url: rpcUrl } = await scene.node({ blocks })
    const stage = await scene.stage({ postgres, rpcUrl, roles: "ingest,work", env })
    for (let i = 0; i < processes; i++) stage.start()
    const timeoutMs = healWithinMs({ blocks, callsPerSecond: Number(slowWork.RPC_MAX_RPS) })
    await stage.reach(blocks / 4, { what: "a quarter of the blocks done", timeoutMs })
    await postgres.stop("immediate")
    // The length of the outage is what is under test here.
    await pause(awayMs)
    await postgres.start()
    const resumedMs = await goingOn(stage, { what: "work going on", all: blocks + 1 })
    await stage.finish(blocks + 1, timeoutMs)
    assert.equal(stage.members.length, processes, "a process ended")
    const attempts = (await stage.probe.leases()).map(({ attempt }) => attempt)
    assert.equal(Math.max(...attempts), 1, "the outage cost an attempt")
    assert.deepEqual(await stage.derived.errors(), [], "the outage was blamed on a block")
    const compared = await compareAll(stage, { against: { postgres, rpcUrl }, head: blocks })
    return { times: 1, compared, recovery: times([resumedMs]), facts: { blocks, awayMs, processes } }
  },
}
