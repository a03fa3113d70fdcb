import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { partitionBounds } from "../../src/partitions/partition-indexes.js"
import { type RunningChainServer, startChainServer } from "../support/chain-server.js"
import { type PrivatePostgres, startPostgres15 } from "../support/private-postgres.js"
import { StoreProbe } from "../support/store-probe.js"
import { hasTestBinary } from "../support/test-binary.js"
import { waitUntil } from "../support/wait-until.js"
import { refusal, Workplace } from "./workplace.js"

const size = { blocks: 100, transactionsPerBlock: 3, logsPerBlock: 4, holders: 100 }

let workplace: Workplace
let node: RunningChainServer

beforeAll(async () => {
  node = await startChainServer(size)
})

afterAll(() => node.stop())

beforeEach(async () => {
  workplace = await Workplace.make()
})

afterEach(() => workplace.remove())

async function heights(url: string): Promise<{ low: number; high: number; count: number }> {
  const probe = new StoreProbe(url)
  const [row] = await probe.rows<{ low: string; high: string; count: string }>(
    "select min(height) as low, max(height) as high, count(*) as count from raw.blocks",
  )
  await probe.close()
  return { low: Number(row!.low), high: Number(row!.high), count: Number(row!.count) }
}

describe.runIf(hasTestBinary("postgres-15"))("a node and a PostgreSQL 15 of one's own", () => {
  let postgres: PrivatePostgres

  beforeAll(async () => {
    postgres = await startPostgres15()
  })

  afterAll(() => postgres.remove())

  async function database(name: string): Promise<string> {
    await postgres.ensureDatabase(name)
    return postgres.url(name)
  }

  const toTheEnd = ["--end-block", "100", "--exit-when-done"]

  /** How many blocks the partitions of each schema have. */
  async function partitionSizes(url: string): Promise<ReadonlySet<string>> {
    const probe = new StoreProbe(url)
    const made = await probe.rows<{ schema: string; bound: string }>(
      `select relnamespace::regnamespace::text as schema, pg_get_expr(relpartbound, oid) as bound
       from pg_class where relpartbound is not null and relkind = 'r'`,
    )
    await probe.close()
    const bounds = made.map(({ schema, bound }) => ({ schema, ...partitionBounds(bound) }))
    return new Set(bounds.map(({ schema, from, to }) => `${schema} ${to - from}`))
  }

  it("keep raw and app in one database, and refuse another chain or partition size there", async () => {
    const env = { DB_RAW_URL: await database("both"), RPC_URL: node.url }
    const sizes = { RAW_PARTITION_BLOCKS: "3000", APP_PARTITION_BLOCKS: "7000" }
    expect(await workplace.start(toTheEnd, { ...env, ...sizes }).exit).toBe(0)
    expect(await partitionSizes(env.DB_RAW_URL)).toEqual(new Set(["raw 3000", "app 7000"]))
    const resized = await refusal(workplace.start(toTheEnd, { ...env, APP_PARTITION_BLOCKS: "4000" }))
    expect([resized.code, resized.said.includes("PARTITION_SIZE_FIXED")]).toEqual([1, true])
    expect(await heights(env.DB_RAW_URL)).toEqual({ low: 0, high: 100, count: 101 })
    const probe = new StoreProbe(env.DB_RAW_URL)
    expect(await probe.rows("select chain_id from app.chain_state")).toEqual([{ chain_id: "1337" }])
    await probe.close()
    const other = await startChainServer({ ...size, blocks: 20, seed: 9 })
    try {
      const { code, said } = await refusal(workplace.start(toTheEnd, { ...env, RPC_URL: other.url }))
      expect(code).toBe(1)
      expect(said).toContain("CHAIN_MISMATCH")
      expect(await heights(env.DB_RAW_URL)).toEqual({ low: 0, high: 100, count: 101 })
    } finally {
      await other.stop()
    }
  })

  it("keep raw and app apart where two databases are named", async () => {
    const env = {
      DB_RAW_URL: await database("apart_raw"),
      DB_APP_URL: await database("apart_app"),
      RPC_URL: node.url,
    }
    expect(await workplace.start(toTheEnd, env).exit).toBe(0)
    expect(await heights(env.DB_RAW_URL)).toEqual({ low: 0, high: 100, count: 101 })
    const probe = new StoreProbe(env.DB_APP_URL)
    expect(await probe.rows("select chain_id from app.chain_state")).toEqual([{ chain_id: "1337" }])
    expect(await probe.rows("select 1 from pg_namespace where nspname = 'raw'")).toEqual([])
    await probe.close()
  })

  it("are waited for: a node that is dead at the start is named, and taken up when it comes", async () => {
    const late = await startChainServer(size)
    const port = Number(new URL(late.url).port)
    await late.stop()
    const env = { DB_RAW_URL: await database("late"), RPC_URL: late.url }
    const child = workplace.start(toTheEnd, env)
    const line = await child.line(({ msg }) => msg.includes("waiting for the node"))
    expect(line["code"]).toBe("RPC_UNREACHABLE")
    const back = await startChainServer({ ...size, port })
    try {
      expect(await child.exit).toBe(0)
      await waitUntil(async () => (await heights(env.DB_RAW_URL)).count === 101, { what: "all blocks" })
    } finally {
      await back.stop()
    }
  })
})
