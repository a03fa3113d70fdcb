import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type RunningChainServer, startChainServer } from "../../test/support/chain-server.js"
import { type PrivatePostgres, startPrivatePostgres } from "../../test/support/private-postgres.js"
import { formatReport } from "../checker/format-report.js"
import { Stage } from "./stage.js"

const blocks = 300

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

describe("what workers derive is what the checker makes of the same blocks, row for row", () => {
  const small = { RANGE_SIZE: "50" }
  it.each([
    ["one process, one database", { processes: 1, env: small }],
    // Several processes, with one database and with two: derived-kills.test.ts.
    [
      "newest first, a database for each",
      { processes: 1, env: { ...small, BACKFILL: "newest" }, twoDatabases: true },
    ],
  ])("%s", async (_, { processes, ...options }) => {
    const stage = await Stage.open({ postgres, rpcUrl: node.url, roles: "ingest,work", ...options })
    try {
      for (let i = 0; i < processes; i++) stage.start()
      await stage.derivedTo(blocks + 1)
      const report = await stage.check()
      expect(report.ok, formatReport(report)).toBe(true)
      expect(report.blocks).toBe(blocks + 1)
      const rows = Object.fromEntries(report.tables.map(({ table, rowsFound }) => [table, rowsFound]))
      expect(rows["evm_transactions"]).toBe(blocks * 5)
      for (const table of [
        "ft_transfers",
        "nft_transfers",
        "ft_holdings",
        "nft_ownership",
        "accounts",
        "tx_tags",
      ])
        expect(rows[table], table).toBeGreaterThan(100)
      expect(await stage.derived.leases()).toEqual([])
      expect(await stage.derived.errors()).toEqual([])
      expect(stage.complaints()).toEqual([])
    } finally {
      await stage.close()
    }
  })
})
