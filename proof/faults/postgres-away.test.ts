import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type RunningChainServer, startChainServer } from "../../test/support/chain-server.js"
import { type PrivatePostgres, startPrivatePostgres } from "../../test/support/private-postgres.js"
import { patienceMs } from "../../test/support/wait-until.js"
import { runWithPostgresAway } from "./postgres-away.js"
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

describe("a database that is away for a while", () => {
  it("ends no process, costs no attempt, and work goes on by itself", async () => {
    const expected = await undisturbed({ postgres, rpcUrl: node.url }, blocks)
    // Leases outlast the outage: only the restart itself can end them, and it is nobody's fault.
    const leases = { LEASE_TTL_MS: "60000", HEAD_LEASE_TTL_MS: "60000" }
    const env = { ...leases, RANGE_SIZE: "25", RPC_BATCH_BLOCKS: "5", RPC_MAX_RPS: "150" }
    const stage = await Stage.open({ postgres, rpcUrl: node.url, env })
    try {
      const facts = await runWithPostgresAway(stage, {
        ...{
          postgres,
          processes: 2,
          blocks,
          awayMs: 8_000,
          timeoutMs: patienceMs,
          resumeWithinMs: patienceMs,
        },
      })
      console.info(`work went on ${facts.resumedMs} ms after the database was back`)
      expect(facts.doneBefore).toBeLessThan(blocks)
      expect(facts.processesEnded).toBe(0)
      expect(facts.highestAttempt).toBe(1)
      expect(await stage.probe.unfinished()).toEqual([])
      expect(stage.complaints()).toEqual([])
      expect(await stage.digest()).toEqual(expected)
    } finally {
      await stage.close()
    }
  })
})
