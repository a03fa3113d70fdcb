// The client against the served API. Lines marked with @ts-expect-error are its type test: `tsc` fails when they are no
// errors.

import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { afterAll, beforeAll, describe, expect, expectTypeOf, test, vi } from "vitest"
import { whaleWorker } from "../../examples/whale-transfers/tidemark.config.js"
import { examplesOf, importExample } from "../../test/support/doc-examples.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { type ServedStore, serveStore } from "../../test/support/served-store.js"
import { evmFamily } from "../families/evm/evm-family.js"
import { createClient, type Row, type TableRows, type TidemarkClient, TidemarkError } from "./client.js"

const blocks = livelyBlocks({ seed: 7, from: 0, to: 40 })
let served: ServedStore
let client: TidemarkClient<TableRows<typeof whaleWorker>>

beforeAll(async () => {
  served = await serveStore(blocks, { workers: [...evmFamily.workers, whaleWorker] })
  await served.store.raw.query("update raw.chain_state set head_height = 39, finalized_height = 30")
  client = createClient({ url: `${served.url}/`, chain: "test" })
}, 60_000)
afterAll(() => served.close())

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const row of rows) found.push(row)
  return found
}

describe("answers", () => {
  test("are typed as the routes are", async () => {
    const { data, meta } = await client.get("/blocks/{block}", { block: 12 })
    expect(data.height).toBe("12")
    expect(meta.partial).toBe(false)
    expectTypeOf(data.height).toEqualTypeOf<string>()
    expectTypeOf(data.miner).toEqualTypeOf<string | null>()
    expectTypeOf<Row<"/blocks">["transaction_count"]>().toEqualTypeOf<number>()
    // @ts-expect-error: there is no such field.
    expect(data.hieght).toBe(undefined)
    // @ts-expect-error: there is no such route.
    await expect(client.get("/block/{block}", { block: 12 })).rejects.toThrow(TidemarkError)
    // @ts-expect-error: there is no such parameter.
    await expect(client.get("/blocks", { ordre: "asc" })).rejects.toMatchObject({ code: "BAD_REQUEST", status: 400 })
    // @ts-expect-error: the path needs a block.
    await expect(client.get("/blocks/{block}")).rejects.toThrow(TidemarkError)
    // @ts-expect-error: a single thing has no rows.
    expect(() => client.rows("/blocks/{block}", { block: 12 })).not.toThrow()
  })

  test("come page by page and row by row, each once", async () => {
    const rows = await all(client.rows("/blocks", { order: "asc", limit: 7 }))
    expect(rows.map(({ height }) => Number(height))).toEqual(blocks.map(({ height }) => height))
    const pages = await all(client.pages("/blocks", { limit: 30, from_height: 5, to_height: 39n }))
    expect(pages.map(({ data }) => data.length)).toEqual([30, 4])
    expect(pages[0]!.meta.coverage).toEqual([{ from: "5", to: "39" }])
  })

  test("that are refused are errors with a code, a status and details", async () => {
    const missing = client.get("/blocks/{block}", { block: 99 })
    await expect(missing).rejects.toMatchObject({ name: "TidemarkError", code: "NOT_FOUND", status: 404 })
    await served.store.raw.query(
      "insert into raw.rollbacks (id, epoch, removed) values (gen_random_uuid(), 1, '[30,)')",
    )
    const pages = client.pages("/blocks", { limit: 5 })
    await pages.next()
    await served.store.raw.query("update raw.chain_state set chain_epoch = 1")
    await expect(pages.next()).rejects.toMatchObject({ code: "CURSOR_ROLLED_BACK", details: { restart_height: "30" } })
    await served.store.raw.query("delete from raw.rollbacks; update raw.chain_state set chain_epoch = 0")
    const nowhere = createClient({ url: "http://127.0.0.1:1", chain: "test" })
    await expect(nowhere.get("/blocks")).rejects.toMatchObject({ code: "UNREACHABLE", status: 0 })
  })

  test("end with the signal's reason when it aborts", async () => {
    const stopped = client.get("/blocks", {}, { signal: AbortSignal.abort(new Error("enough")) })
    await expect(stopped).rejects.toThrow("enough")
  })

  test("are asked for with the key and headers given", async () => {
    let sent: Headers | undefined
    const spying = createClient({
      ...{ url: served.url, chain: "test", apiKey: "secret", headers: { "x-trace": "1" } },
      fetch: (input, init) => {
        sent = new Headers(init?.headers)
        return fetch(input, init)
      },
    })
    await spying.get("/blocks", { limit: 1 })
    expect([sent?.get("x-api-key"), sent?.get("x-trace")]).toEqual(["secret", "1"])
  })
})

test("a user's own table is read row by row, filtered by its index", async () => {
  const stored = await served.store.app.query("select count(*)::int4 as count from app.whale_transfers")
  const rows = await all(client.tableRows("whale_transfers", { order: "asc", limit: 3 }))
  expect(rows.length).toBe(stored.rows[0]!["count"])
  const { token } = rows[0]!
  const own = await all(client.tableRows("whale_transfers", { filter: { token }, order: "asc", from_height: 3 }))
  expect(own).toEqual(rows.filter((row) => row.token === token && Number(row.block_height) >= 3))
  const states = await all(client.tableRows("whales", { filter: { token } }))
  expectTypeOf(states).toEqualTypeOf<TableRows<typeof whaleWorker>["whales"][]>()
  expect(states.every(({ transfers }) => Number(transfers) > 0)).toBe(true)
  // @ts-expect-error: there is no such column.
  const unknown = all(client.tableRows("whales", { filter: { colour: "red" } }))
  await expect(unknown).rejects.toMatchObject({ code: "BAD_REQUEST" })
})

test("GraphQL answers with its data, and refuses with a code", async () => {
  const query = "query ($height: BigInt!) { block(height: $height) { hash transaction_count } }"
  const { block } = await client.graphql<{ block: { hash: string; transaction_count: number } }>({
    ...{ query, variables: { height: "12" } },
  })
  expect(block).toEqual({ hash: `0x${"c".padStart(64, "0")}`, transaction_count: blocks[12]!.transactions.length })
  const wrong = client.graphql({ query: "{ nothing }" })
  await expect(wrong).rejects.toMatchObject({ name: "TidemarkError", code: expect.stringMatching(/^[A-Z_]+$/) })
})

test("the rows of a worker's own tables are typed by its declaration", () => {
  type Rows = TableRows<typeof whaleWorker>
  expectTypeOf<Rows["whale_transfers"]>().toEqualTypeOf<{
    readonly block_height: string
    readonly transaction_index: number
    readonly event_index: number
    readonly timestamp: string
    readonly token: string
    readonly sender: string
    readonly recipient: string
    readonly amount: string
  }>()
  expectTypeOf<Rows["whales"]["address"]>().toEqualTypeOf<string>()
  expectTypeOf<Rows["whales"]["sent"]>().toEqualTypeOf<string>()
  expectTypeOf<Rows["whales"]["largest"]>().toEqualTypeOf<string | null>()
  expectTypeOf<Rows["whales"]["first_block_height"]>().toEqualTypeOf<string | null>()
  expectTypeOf<Rows["whales"]["last_event_index"]>().toEqualTypeOf<number | null>()
  expectTypeOf<Rows["whales"]["event_rows"]>().toEqualTypeOf<string>()
  // @ts-expect-error: there is no such table.
  expectTypeOf<Rows["minnows"]>().toBeNever()
  // @ts-expect-error: there is no such column.
  expectTypeOf<Rows["whales"]["received_at"]>().toBeNever()
})

test("the examples of docs/reference/client.md run", async () => {
  const page = "docs/reference/client.md"
  const blocksOf = examplesOf(page, { language: "js", url: served.url }).filter((code) => !code.includes(".stream("))
  expect(blocksOf).toHaveLength(3)
  const code = blocksOf.join("\n").replace('chain: "demo"', 'chain: "test"')
  const logged: unknown[][] = []
  const log = vi.spyOn(console, "log").mockImplementation((...line) => void logged.push(line))
  await importExample(
    "client",
    code.replaceAll('"tidemark/client"', JSON.stringify(join(import.meta.dirname, "client.ts"))),
  )
  log.mockRestore()
  expect(logged[0]).toEqual([`0x${"c".padStart(64, "0")}`, "complete up to", "39"])
  expect(logged.slice(1, 11).map(([height]) => height)).toEqual(
    blocks.slice(10, 20).map(({ height }) => String(height)),
  )
  expect(logged.at(-1)).toEqual(["complete up to", "39"])
})

test("is one small file without imports", async () => {
  const bundle = await rolldown({ input: join(import.meta.dirname, "client.ts"), platform: "neutral" })
  const { output } = await bundle.generate({ format: "esm", minify: true })
  await bundle.close()
  expect(output).toHaveLength(1)
  const { code, imports } = output[0]
  expect(imports).toEqual([])
  const gzipped = gzipSync(code).length
  console.log(`tidemark/client: ${code.length} bytes minified, ${gzipped} gzipped`)
  expect(gzipped).toBeLessThan(4_096)
})
