import assert from "node:assert/strict"
import { createChain } from "../../../../bench/chain/synthetic-chain.js"
import { startHostileRpc } from "../../../support/hostile-rpc.js"
import { countFaults, everyFault, pinHonestly } from "../../lying-node.js"
import { compareRaw } from "../compare.js"
import type { Scenario } from "../scenario.js"

/** By what it says a node may bring ingestion to a halt, or end a process that starts. It can make no bug, and no statement that the database refuses. */
const isOfNode = (complaint: string): boolean =>
  complaint.includes('"code":"REORG_HALTED"') || /^error (?!BUG|DATABASE_)[A-Z_]+: /.test(complaint)

/** Indexes the chain from a lying node again and again, on a new store each time, until it answered often enough. */
export const lies: Scenario = {
  name: "lies",
  fault: "a node that errs and lies in every way that VERIFY=standard can notice",
  count: { quick: 500, full: 100_000 },
  quickTest: "lying-node.test.ts",
  async run(scene) {
    const blocks = scene.isQuick ? 200 : 1_000
    const chain = createChain({ blocks, transactionsPerBlock: 5, logsPerBlock: 6, holders: 2_000 })
    // What a noisy node adds to its answers is kept there.
    const without = { columns: ["extra"] }
    const faults = everyFault("standard")
    const postgres = await scene.postgres()
    const honest = await startHostileRpc({ seed: 0, chain })
    scene.ending(() => honest.stop())
    const sums = { runs: 0, served: 0, lies: 0, noise: 0, outages: 0 }
    let responses = 0
    let compared = ""
    for (; responses < scene.count; sums.runs++) {
      const node = await startHostileRpc({
        ...{ seed: scene.seed * 1_000 + sums.runs, chain, hugeBodyBytes: 3_000_000, dripMs: 300 },
      })
      scene.ending(() => node.stop())
      const env = {
        ...{ RPC_BATCH_BLOCKS: "2", RANGE_SIZE: "10" },
        ...{ RPC_TIMEOUT_MS: "500", RPC_MAX_RESPONSE_BYTES: "2000000" },
      }
      const stage = await scene.stage({ postgres, rpcUrl: node.url, env })
      await pinHonestly(stage, node)
      node.setFaults(faults)
      for (let i = 0; i < 3; i++) stage.start()
      await stage.complete(blocks + 1, 1_800_000)
      const against = { postgres, rpcUrl: honest.url }
      compared = await compareRaw(stage, { against, head: blocks, without, expected: isOfNode })
      assert.deepEqual(await stage.probe.foreignBlocks((height) => chain.hashAt(height)), [])
      const facts = countFaults(node.counts, faults)
      for (const kind of ["served", "lies", "noise", "outages"] as const) sums[kind] += facts[kind]
      responses += node.requests()
      await stage.close()
      scene.say(`${responses} responses, ${sums.lies} of them lies, no bad block`)
    }
    return {
      ...{ times: sums.served, compared: `${compared}, in each of ${sums.runs} runs`, recovery: "" },
      facts: { responses, ...sums, "bad blocks stored": 0 },
    }
  },
}
