import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type RunningChainServer, startChainServer } from "../../test/support/chain-server.js"
import { type PrivatePostgres, startPrivatePostgres } from "../../test/support/private-postgres.js"
import { patienceMs } from "../../test/support/wait-until.js"
import { formatReport } from "../checker/format-report.js"
import { runWithKills } from "./kills.js"
import { Stage } from "./stage.js"

const blocks = 400

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

describe("processes killed with kill -9 while they derive", () => {
  it.each([
    ["one database", false, "oldest"],
    ["two databases", true, "oldest"],
    ["history from its newest block down", false, "newest"],
  ])("leave every derived table as the checker has it: %s", async (_, twoDatabases, BACKFILL) => {
    // Slowed down by their own limits, so that the kills meet work.
    const env = { RANGE_SIZE: "25", RPC_BATCH_BLOCKS: "5", RPC_MAX_RPS: "150", BACKFILL }
    const stage = await Stage.open({ postgres, rpcUrl: node.url, roles: "ingest,work", twoDatabases, env })
    try {
      const facts = await runWithKills(stage, {
        processes: 3,
        kills: 5,
        blocks,
        seed: 11,
        timeoutMs: patienceMs,
      })
      expect(facts.leasesLost).toBeGreaterThan(0)
      expect(await stage.probe.unfinished()).toEqual([])
      expect(await stage.probe.foreignBlocks((height) => node.chain.hashAt(height))).toEqual([])
      const report = await stage.check()
      expect(report.ok, formatReport(report)).toBe(true)
      expect(report.blocks).toBe(blocks + 1)
      expect(await stage.derived.leases()).toEqual([])
      // Whoever is killed is at no fault, and neither is a block.
      expect(await stage.derived.errors()).toEqual([])
      expect(stage.complaints()).toEqual([])
    } finally {
      await stage.close()
    }
  })
})
