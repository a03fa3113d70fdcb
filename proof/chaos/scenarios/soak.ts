import assert from "node:assert/strict"
import { createChain } from "../../../bench/chain/synthetic-chain.js"
import { startTamperingNode } from "../../../test/support/tampering-node.js"
import { faultKinds, soak as runSoak } from "../../faults/soak.js"
import { compareAll } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"

const processes = 2
/** As many as one process with all roles takes. */
const connectionsEach = 12
/** Runs that are shorter meet too little of each kind, and memory that still settles. */
const longMinutes = 10
const flat = 1.25

export const soak: Scenario = {
  name: "soak",
  fault: "every kind of fault at random, on top of each other; counted in minutes",
  count: { quick: 0.5, full: 30 },
  async run(scene) {
    const minutes = scene.count
    const callsPerSecond = 200
    const chain = createChain({
      ...{ blocks: 100_000, transactionsPerBlock: 2, logsPerBlock: 6, holders: 500, tokenIds: 1 },
    })
    const node = await startTamperingNode(() => undefined)
    scene.ending(() => node.stop())
    const postgres = await scene.postgres()
    const stage = await scene.stage({
      ...{ postgres, rpcUrl: node.url, roles: "ingest,work" },
      env: {
        ...{ RANGE_SIZE: "50", RPC_BATCH_BLOCKS: "5", REORG_CONFIRM_MS: "100", POLL_INTERVAL_MS: "100" },
        RPC_MAX_RPS: String(callsPerSecond),
      },
    })
    const { head, counts, rollbacks, connections, witnessMb, healedMs } = await runSoak(stage, {
      ...{ node, chain, postgres, processes, seed: scene.seed, say: scene.say },
      // History is filled for most of the time.
      history: minutes * 400,
      lastsMs: minutes * 60_000,
      finishWithinMs: (blocks) => healWithinMs({ blocks, callsPerSecond }),
    })
    assert.deepEqual(stage.gaveUp(), [])
    assert.ok(
      connections <= (processes + 1) * connectionsEach,
      `${connections} connections of ${processes + 1} processes`,
    )
    if (minutes >= longMinutes) {
      assert.deepEqual(
        faultKinds.filter((kind) => counts[kind] === 0),
        [],
        "never happened",
      )
      const [, middle, last] = witnessMb as [number, number, number]
      assert.ok(last <= middle * flat, `memory grew: ${witnessMb.join(", ")} MB`)
    }
    const compared = await compareAll(stage, { against: { postgres, rpcUrl: node.url }, head })
    return {
      times: Object.values(counts).reduce((sum, n) => sum + n, 0),
      ...{ compared, recovery: `all done ${(healedMs / 1_000).toFixed(1)} s after the last` },
      facts: {
        ...{ minutes, blocks: head, ...counts, rollbacks, connections },
        "MB of a process, by thirds": witnessMb.join(", "),
      },
    }
  },
}
