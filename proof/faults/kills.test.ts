import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type RunningChainServer, startChainServer } from "../../test/support/chain-server.js"
import { type PrivatePostgres, startPrivatePostgres } from "../../test/support/private-postgres.js"
import { patienceMs } from "../../test/support/wait-until.js"
import { runWithKills } from "./kills.js"
import { Stage, undisturbed } from "./stage.js"

const blocks = 1_000

let postgres: PrivatePostgres
let node: RunningChainServer

beforeAll(async () => {
  postgres = await startPrivatePostgres()
  node = await startChainServer({ blocks, transactionsPerBlock: 5, logsPerBlock: 6, holders: 200 })
})

afterAll(async () => {
  await node.stop()
  await postgres.remove()
})

describe("processes killed with kill -9", () => {
  it("leave the tables of one process that nobody disturbed", async () => {
    const expected = await undisturbed({ postgres, rpcUrl: node.url }, blocks)
    expect(expected.rows["blocks"]).toBe(blocks + 1)
    // Slowed down by their own limits, so that the kills meet work.
    const env = { RANGE_SIZE: "25", RPC_BATCH_BLOCKS: "5", RPC_MAX_RPS: "150" }
    const stage = await Stage.open({ postgres, rpcUrl: node.url, env })
    try {
      // Ten more, of processes that derive as well: derived-kills.test.ts.
      const facts = await runWithKills(stage, {
        processes: 3,
        kills: 6,
        blocks,
        seed: 7,
        timeoutMs: patienceMs,
      })
      expect(facts.leasesLost).toBeGreaterThan(3)
      expect(await stage.digest()).toEqual(expected)
      expect(await stage.probe.unfinished()).toEqual([])
      expect(stage.complaints()).toEqual([])
      expect(await stage.probe.foreignBlocks((height) => node.chain.hashAt(height))).toEqual([])
    } finally {
      await stage.close()
    }
  })
})
