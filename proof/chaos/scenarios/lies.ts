import assert from "node:assert/strict"
import { createChain } from "../../../test/chain/synthetic-chain.js"
import { faultNames, startHostileRpc } from "../../../test/support/hostile-rpc.js"
import { compareRaw } from "../compare.js"
import { countFaults, everyFault, noFaults, pinHonestly, shares, type VerifyLevel } from "../lying-node.js"
import type { Scenario } from "../scenario.js"

/** By what it says a node may bring ingestion to a halt, or end a process that starts. It can make no bug, and no statement that the database refuses. */
const isOfNode = (complaint: string): boolean =>
  complaint.includes('"code":"REORG_HALTED"') || /^error (?!BUG|DATABASE_)[A-Z_]+: /.test(complaint)

/** What a noisy node adds to its answers is kept there. */
const without = { columns: ["extra"] }

const percent = (share: number): string => `${100 * share} %`

/** Fewer do not have every fault among them: what is asked seldom (the chain's id) is seldom lied about. */
const enoughForEvery = 5_000

/**
 * Indexes the chain from two lying nodes at a time, again and again on new stores, until so many answers were hostile. Of the two
 * stores one checks hashes and roots and is told every lie there is; the other is spared those that the default checks cannot notice.
 */
export const lies: Scenario = {
  name: "lies",
  fault: `a node that errs and lies, ${percent(shares.lie)} of each lie, ${percent(shares.outage)} of each outage, ${percent(shares.noise)} of each noise: with VERIFY=roots every lie of the catalogue, with VERIFY=standard those that it can notice`,
  count: { quick: 60, full: 100_000 },
  async run(scene) {
    // As many of the answers as are wanted are hostile, at the first attempt.
    const [blocks, processes] = scene.isQuick ? [Math.min(200, Math.max(60, scene.count)), 2] : [1_000, 3]
    const size = { transactionsPerBlock: 5, logsPerBlock: 6, holders: 2_000 }
    const chain = createChain({ ...size, blocks, realRoots: true })
    const postgres = await scene.postgres()
    const honest = await startHostileRpc({ seed: 0, chain })
    scene.ending(() => honest.stop())
    const counts = noFaults()
    const sums = { rounds: 0, responses: 0, hostile: 0 }
    let compared = ""
    const round = async (verify: VerifyLevel): Promise<void> => {
      const seed = scene.seed * 1_000 + 2 * sums.rounds + (verify === "roots" ? 1 : 0)
      const node = await startHostileRpc({ seed, chain, hugeBodyBytes: 3_000_000, dripMs: 300 })
      scene.ending(() => node.stop())
      const env = {
        ...{ RPC_BATCH_BLOCKS: "2", RANGE_SIZE: "10", VERIFY: verify },
        ...{ RPC_TIMEOUT_MS: "500", RPC_MAX_RESPONSE_BYTES: "2000000" },
      }
      const stage = await scene.stage({ postgres, rpcUrl: node.url, env })
      await pinHonestly(stage, node)
      node.setFaults(everyFault(verify))
      for (let i = 0; i < processes; i++) stage.start()
      await stage.complete(blocks + 1, 1_800_000)
      const against = { postgres, rpcUrl: honest.url }
      compared = await compareRaw(stage, { against, head: blocks, without, expected: isOfNode })
      assert.deepEqual(await stage.probe.foreignBlocks((height) => chain.hashAt(height)), [])
      for (const name of faultNames) counts[name] += node.counts[name]
      sums.responses += node.requests()
      sums.hostile += node.hostile()
      await stage.close()
    }
    const began = performance.now()
    for (; sums.hostile < scene.count; sums.rounds++) {
      // Both come to their end before a failure is told: one that went on would wait for a store that is gone.
      const ends = await Promise.allSettled([round("standard"), round("roots")])
      for (const end of ends) if (end.status === "rejected") throw end.reason
      scene.say(`${sums.hostile} of ${sums.responses} responses hostile, no bad block`)
    }
    const minutes = (performance.now() - began) / 60_000
    const { missing, ...facts } = countFaults(counts, everyFault("roots"))
    if (!scene.isQuick && sums.hostile >= enoughForEvery) assert.deepEqual(missing, [], "faults never served")
    return {
      ...{ times: sums.hostile, recovery: "" },
      compared: `${compared}, in each of ${sums.rounds} with VERIFY=standard and ${sums.rounds} with VERIFY=roots`,
      facts: {
        ...sums,
        "hostile a minute": Math.round(sums.hostile / minutes),
        ...facts,
        "never served": missing.join(", ") || "none",
        "bad blocks stored": 0,
      },
    }
  },
}
