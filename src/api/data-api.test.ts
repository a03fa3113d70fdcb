import { Validator } from "@seriousme/openapi-schema-validator"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { DeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { type ServedStore, serveStore } from "../../test/support/served-store.js"
import { evmFamily } from "../families/evm/evm-family.js"
import { Database } from "../postgres/database.js"

const blocks = livelyBlocks({ seed: 7, from: 0, to: 60 })
let served: ServedStore
let store: DeriveStore

beforeAll(async () => {
  served = await serveStore(blocks, { twoDatabases: true })
  store = served.store
  await store.raw.query("update raw.chain_state set head_height = 59, finalized_height = 40")
}, 60_000)
afterAll(() => served.close())

const get: ServedStore["get"] = (path, headers) => served.get(path, headers)
const walk: ServedStore["walk"] = (path, limit) => served.walk(path, limit)

/** As if these heights were not stored yet. */
async function withoutBlocks<T>(from: number, to: number, work: () => Promise<T>): Promise<T> {
  const cover = (sign: "-" | "+") =>
    store.raw.query(
      `update raw.coverage set heights = heights ${sign} int8multirange(int8range($1, $2)) where worker_type = 'raw_ingester'`,
      [from, to],
    )
  const { rows } = await store.raw.query<{ row: string }>(
    "delete from raw.blocks as block where height >= $1 and height < $2 returning block::text as row",
    [from, to],
  )
  await cover("-")
  try {
    return await work()
  } finally {
    await store.raw.query("insert into raw.blocks select (line::raw.blocks).* from unnest($1::text[]) as line", [
      rows.map(({ row }) => row),
    ])
    await cover("+")
  }
}

const transactions = blocks.flatMap(({ transactions }) => transactions)

describe("lists", () => {
  test("have every row once in chain order, in both directions, whatever the page", async () => {
    const down = await walk("/v1/test/blocks")
    expect(down.map(({ height }) => Number(height))).toEqual(blocks.map(({ height }) => height).reverse())
    const up = await walk("/v1/test/transactions?order=asc", 3)
    expect(up.map((row) => row["transaction_hash"])).toEqual(transactions.map(({ id }) => `0x${id}`))
  })

  test("say how far they are complete, and show nothing beyond", async () => {
    const whole = await get("/v1/test/transactions")
    expect(whole.json.meta).toMatchObject({
      ...{ chain: "test", data_watermark: "59", coverage: [{ from: "0", to: "60" }], gaps: [], partial: false },
      required_workers: ["evm_worker"],
    })
    // As if meta_worker had lost a stretch: the list needs both workers.
    await store.app.query("update app.coverage set heights = '{[0,20),[30,60)}' where worker_type = 'meta_worker'")
    const address = `0x${"01".repeat(20)}`
    const rows = await walk(`/v1/test/accounts/${address}/transactions`)
    const { json } = await get(`/v1/test/accounts/${address}/transactions`)
    await store.app.query("update app.coverage set heights = '{[0,60)}' where worker_type = 'meta_worker'")
    expect(json.meta).toMatchObject({
      ...{ data_watermark: "19", gaps: [{ from: "20", to: "30" }], partial: true },
      coverage: [
        { from: "0", to: "20" },
        { from: "30", to: "60" },
      ],
    })
    const all = await walk(`/v1/test/accounts/${address}/transactions`)
    const shown = all.filter(({ block_height: at }) => Number(at) < 20 || Number(at) >= 30)
    expect(shown.length).toBeLessThan(all.length)
    expect(rows).toEqual(shown)
  })

  test("take heights and times, half-open", async () => {
    const heights = (await walk("/v1/test/blocks?from_height=10&to_height=13&order=asc")).map(({ height }) => height)
    expect(heights).toEqual(["10", "11", "12"])
    const [from, to] = [blocks[10]!.timestamp, blocks[13]!.timestamp]
    const timed = await walk(`/v1/test/blocks?from_time=${from}&to_time=${to}&order=asc`)
    expect(timed.map(({ height }) => height)).toEqual(["10", "11", "12"])
  })

  test("with a time ahead of the chain go on as it grows, and are not final before", async () => {
    const path = "/v1/test/blocks?to_time=2100-01-01T00:00:00Z&order=asc"
    const first = await withoutBlocks(30, 60, () => get(`${path}&limit=25`))
    expect(first.headers.get("cache-control")).toBe("no-store")
    const second = await get(`${path}&limit=200&cursor=${first.json.meta.next_cursor}`)
    expect(second.status).toBe(200)
    expect(second.json.data).toHaveLength(35)
  })

  test("report the heights that are missing at either time", async () => {
    const at = blocks[25]!.timestamp
    const meta = { gaps: [{ from: "20", to: "30" }], partial: true }
    const [until, since] = await withoutBlocks(20, 30, async () => [
      await get(`/v1/test/blocks?to_time=${at}`),
      await get(`/v1/test/blocks?from_time=${at}&to_height=40`),
    ])
    expect(until!.json.meta).toMatchObject(meta)
    expect(since!.json.meta).toMatchObject(meta)
  })

  test("of an account have both sides of its transfers once", async () => {
    const { rows } = await store.app.query(
      "select distinct address from (select from_address as address from app.ft_transfers union select to_address from app.ft_transfers) a",
    )
    for (const { address } of rows as { address: Buffer }[]) {
      const found = await walk(`/v1/test/accounts/0x${address.toString("hex")}/ft-transfers`, 5)
      const { rows: expected } = await store.app.query(
        `select block_height, event_index from app.ft_transfers where from_address = $1 or to_address = $1
         order by block_height desc, transaction_index desc, event_index desc`,
        [address],
      )
      expect(found.map((row) => [row["block_height"], row["event_index"]])).toEqual(
        expected.map((row) => [row["block_height"], row["event_index"]]),
      )
    }
  })
})

describe("cursors", () => {
  test("of another list, or changed, are refused", async () => {
    const { json } = await get("/v1/test/blocks?limit=5")
    const cursor: string = json.meta.next_cursor
    expect((await get(`/v1/test/blocks?cursor=${cursor}`)).status).toBe(200)
    for (const path of [
      `/v1/test/blocks?order=asc&cursor=${cursor}`,
      `/v1/test/transactions?cursor=${cursor}`,
      `/v1/test/blocks?cursor=${cursor.slice(0, -2)}`,
      "/v1/test/blocks?cursor=AAAA",
    ])
      expect(await get(path)).toMatchObject({ status: 400, json: { error: { code: "CURSOR_INVALID" } } })
  })

  test("over a rolled-back stretch say where to start again; others stay good", async () => {
    const high = (await get("/v1/test/blocks?limit=5")).json.meta.next_cursor
    const low = (await get("/v1/test/blocks?limit=30")).json.meta.next_cursor
    await store.raw.query(
      "insert into raw.rollbacks (id, epoch, removed) values (gen_random_uuid(), 1, '[50,)'); update raw.chain_state set chain_epoch = 1",
    )
    expect(await get(`/v1/test/blocks?cursor=${high}`)).toMatchObject({
      status: 409,
      json: { error: { code: "CURSOR_ROLLED_BACK", details: { restart_height: "50" } } },
    })
    expect((await get(`/v1/test/blocks?cursor=${low}`)).status).toBe(200)
    await store.raw.query("delete from raw.rollbacks; update raw.chain_state set chain_epoch = 0")
  })
})

describe("single things", () => {
  test("are found by height and by hash, and what is final may be kept", async () => {
    const { json, headers } = await get("/v1/test/blocks/12")
    expect(json.data.height).toBe("12")
    expect(headers.get("cache-control")).toContain("immutable")
    expect((await get(`/v1/test/blocks/${json.data.hash}`)).json.data).toEqual(json.data)
    const etag = headers.get("etag")!
    expect((await get("/v1/test/blocks/12", { "if-none-match": etag })).status).toBe(304)
    expect((await get("/v1/test/blocks/41")).headers.get("cache-control")).toBe("no-store")
    expect(await get("/v1/test/blocks/60")).toMatchObject({ status: 404, json: { error: { code: "NOT_FOUND" } } })
  })

  test("of every kind answer for what is stored", async () => {
    const { id } = transactions.find(({ logs }) => logs.length > 0)!
    const transaction = (await get(`/v1/test/transactions/0x${id}`)).json.data
    expect(transaction.transaction_hash).toBe(`0x${id}`)
    const events = await walk(`/v1/test/transactions/0x${id}/events`, 1)
    expect(events).toHaveLength(transaction.event_count)
    const [token] = await walk("/v1/test/tokens")
    const contract = token!["contract_address"]
    expect((await get(`/v1/test/tokens/${contract}`)).json.data).toEqual(token)
    const holders = await walk(`/v1/test/tokens/${contract}/holders`, 2)
    const balances = holders.map(({ balance }) => BigInt(balance!))
    expect(balances).toEqual([...balances].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)))
    expect(await walk(`/v1/test/tokens/${contract}/transfers`)).toHaveLength(Number(token!["transfer_count"]))
    const [collection] = await walk("/v1/test/collections")
    const items = await walk(`/v1/test/collections/${collection!["contract_address"]}/items`, 2)
    const item = items[0]
    if (item) {
      const path = `/v1/test/collections/${collection!["contract_address"]}/items/${item["token_id"]}`
      expect((await get(path)).json.data).toEqual(item)
    }
    const days = await walk("/v1/test/stats/daily", 2)
    expect(days.reduce((sum, day) => sum + Number(day["transactions"]), 0)).toBe(transactions.length)
  })
})

describe("requests", () => {
  test("that are wrong get 400 with a code, and unknown names 404", async () => {
    for (const path of ["blocks?limit=0", "blocks?limit=201", "blocks?nonsense=1", "blocks/0x12", "accounts/0x00"])
      expect(await get(`/v1/test/${path}`)).toMatchObject({ status: 400, json: { error: { code: "BAD_REQUEST" } } })
    expect((await get("/v1/other/blocks")).status).toBe(404)
    expect((await get(`/v1/test/events?topic0=0x${"00".repeat(32)}`)).status).toBe(400)
  })

  test("with min_height wait for what is being derived", async () => {
    await store.raw.query("update raw.coverage set heights = '{[0,50)}'")
    const waiting = get("/v1/test/blocks?min_height=55")
    await store.raw.query("update raw.coverage set heights = '{[0,60)}'")
    expect((await waiting).status).toBe(200)
  })

  test("cannot write: the pools are read-only", async () => {
    const pool = new Database({ url: store.rawUrl, applicationName: "api", maxConnections: 1, readOnly: true })
    await expect(pool.query("delete from raw.blocks")).rejects.toMatchObject({ data: { sqlState: "25006" } })
    await pool.end()
  })
})

test("coverage shows a single dead block among many heights", async () => {
  await store.app.query(
    `insert into app.worker_leases (worker_type, from_height, to_height, status, epoch, lease_ttl_ms)
     values ('evm_worker', 33, 34, 'DEAD', gen_random_uuid(), 1)`,
  )
  const { json } = await get("/v1/test/coverage?buckets=3")
  await store.app.query("delete from app.worker_leases where status = 'DEAD'")
  const buckets = json.workers.find(({ worker }: { worker: string }) => worker === "evm_worker").buckets
  expect(buckets.map(({ state }: { state: string }) => state)).toEqual(["done", "dead", "done"])
  expect(json).toMatchObject({ raw_tip_height: "59", worker_tip_height: "59", app_watermark_height: "59" })
})

test("the document is OpenAPI 3.1, names every route, and can be browsed", async () => {
  const { json } = await get("/openapi.json")
  expect(await new Validator().validate(json)).toMatchObject({ valid: true })
  expect(json.openapi).toBe("3.1.0")
  expect((await get("/")).json.routes).toEqual(expect.arrayContaining(["/docs", "/openapi.json", "/v1/chains"]))
  const paths = evmFamily.resources.map(({ path }) => `/v1/{chain}${path.replace(/:(\w+)/g, "{$1}")}`)
  expect(Object.keys(json.paths)).toEqual(expect.arrayContaining(["/v1/chains", "/v1/{chain}/coverage", ...paths]))
  const page = await fetch(`${served.url}/docs`)
  expect(page.status).toBe(200)
  expect(page.headers.get("content-security-policy")).toContain("script-src 'self'")
})
