import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { evmFamily } from "../../src/families/evm/evm-family.js"
import { loadWorkers } from "../../src/roles/load-workers.js"
import { type RunningChainServer, startChainServer } from "../support/chain-server.js"
import { StoreProbe } from "../support/store-probe.js"
import { createTestDatabase, type TestDatabase } from "../support/test-database.js"
import { Workplace } from "./workplace.js"

const config = join(resolve(import.meta.dirname, "../.."), "examples/whale-transfers/tidemark.config.ts")
const transferTopic = "\\xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

let workplace: Workplace
let node: RunningChainServer
let made: TestDatabase

beforeAll(async () => {
  node = await startChainServer({ blocks: 60, transactionsPerBlock: 4, logsPerBlock: 8, holders: 20 })
  workplace = await Workplace.make()
  made = await createTestDatabase({ empty: true })
})

afterAll(async () => {
  await workplace.remove()
  await made.drop()
  await node.stop()
})

describe("the example's worker", () => {
  it("stands beside those that come with Tidemark, and can be chosen alone", async () => {
    const all = await loadWorkers({ family: evmFamily, configFile: config, chain: { workers: "all" } })
    expect(all.workers.map(({ name }) => name)).toEqual(expect.arrayContaining(["token_worker", "whale_worker"]))
    const one = await loadWorkers({
      family: evmFamily,
      configFile: config,
      chain: { workers: "whale_worker" },
    })
    expect(one.workers.map(({ name }) => name)).toEqual(["whale_worker"])
  })

  it("derives its rows and its state from one file, without a change elsewhere", async () => {
    const args = ["--config", config, "--workers", "whale_worker", "--end-block", "60", "--exit-when-done"]
    const env = { DB_RAW_URL: made.url, RPC_URL: node.url }
    expect(await workplace.start(args, env).exit).toBe(0)
    const probe = new StoreProbe(made.url)
    // Counted in raw with plain SQL: a value of 5 · 10^18 or more, as 32 bytes.
    const [expected] = await probe.rows<{ transfers: string; blocks: string }>(
      `select count(*) as transfers, count(distinct block_height) as blocks from raw.events
       where topic0 = $1 and topic2 is not null and topic3 is null and octet_length(data) = 32
         and data >= decode(lpad(to_hex(5000000000000000000), 64, '0'), 'hex')`,
      [transferTopic],
    )
    expect(Number(expected!.transfers)).toBeGreaterThan(20)
    const [rows] = await probe.rows(
      "select count(*) as transfers, count(distinct block_height) as blocks from app.whale_transfers",
    )
    expect(rows).toEqual(expected)
    const [sums] = await probe.rows<Record<string, string>>(
      `select (select sum(amount) from app.whale_transfers) as amount, sum(sent) as sent, sum(received) as received,
         sum(transfers) as transfers, max(largest) = (select max(amount) from app.whale_transfers) as largest
       from app.whales`,
    )
    expect(sums).toEqual({
      amount: sums!["amount"],
      sent: sums!["amount"],
      received: sums!["amount"],
      transfers: String(2 * Number(expected!.transfers)),
      largest: true,
    })
    expect(await probe.rows("select name from app.workers")).toEqual([{ name: "whale_worker" }])
    await probe.close()
  })
})
