import { Validator } from "@seriousme/openapi-schema-validator"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { type ServedStore, serveStore } from "../../test/support/served-store.js"
import { defineWorker } from "../families/evm/define-worker.js"
import { evmFamily } from "../families/evm/evm-family.js"
import { pageSql } from "../queries/read-page.js"
import { tableResource } from "../queries/table-resource.js"
import { readWorkerTables } from "../queries/worker-tables.js"
import { bool, bytes, date, int2, int4, int8, nullable, numeric, text, timestamp } from "../workers/column.js"
import { eventTable, stateTable, sum } from "../workers/define-worker.js"

/** Columns of every kind, with names that SQL, JSON or this API uses itself. */
const odd = defineWorker({
  name: "odd_worker",
  version: 1,
  tables: {
    select: eventTable({
      columns: {
        block_height: int8,
        order: int4,
        limit: bytes,
        filter: text,
        constructor: bool,
        key_0: int2,
        cursor: nullable(numeric),
        user: timestamp,
        at: date,
      },
      key: ["block_height", "order"],
      partitionBlocks: 10,
      indexes: [["limit", "block_height"], ["filter", "constructor"], ["user"], ["at"], ["cursor"], ["key_0"]],
    }),
    table: stateTable({
      key: { limit: bytes, constructor: bool },
      columns: { order: sum(int8), sort_0: sum(numeric) },
      sources: [
        {
          table: "select",
          key: { limit: "limit", constructor: "constructor" },
          set: { order: { literal: 1 }, sort_0: "order" },
        },
      ],
      indexes: [["constructor", "order", "limit"]],
    }),
  },
  extract({ block, emit }) {
    for (const transaction of block.transactions) {
      emit.select({
        block_height: block.height,
        order: transaction.index,
        limit: `0x0${block.height % 3}`,
        filter: block.height % 2 === 0 ? '=1+1: "é"' : "b:c",
        constructor: block.height % 2 === 0,
        key_0: transaction.index,
        cursor: block.height % 5 === 0 ? null : 2n ** 300n,
        user: block.timestampUs,
        at: 20_000 + (block.height % 2),
      })
    }
  },
})

let served: ServedStore
const blocks = livelyBlocks({ seed: 3, from: 0, to: 40 })
const rowCount = blocks.flatMap(({ transactions }) => transactions).length

beforeAll(async () => {
  served = await serveStore(blocks, { workers: [...evmFamily.workers, odd] })
  await served.store.raw.query("update raw.chain_state set head_height = 39, finalized_height = 30")
}, 60_000)
afterAll(() => served.close())

const rowsOf = (path: string) => served.walk(`/v1/test/tables/${path}`)
const filterOf = (...filters: string[]): string => filters.map((one) => `filter=${encodeURIComponent(one)}`).join("&")

describe("a user's own table", () => {
  test("is listed with its columns, key and indexes, and described in the document", async () => {
    const { data } = (await served.get("/v1/test/tables")).json
    expect(data).toContainEqual({
      ...{ table: "table", worker: "odd_worker", kind: "state", key: ["limit", "constructor"] },
      columns: [
        { name: "limit", kind: "bytes", nullable: false },
        { name: "constructor", kind: "bool", nullable: false },
        { name: "order", kind: "int8", nullable: false },
        { name: "sort_0", kind: "numeric", nullable: false },
        { name: "event_rows", kind: "int8", nullable: false },
      ],
      indexes: [
        ["limit", "constructor"],
        ["constructor", "order", "limit"],
      ],
    })
    const { json } = await served.get("/openapi.json")
    expect(await new Validator().validate(json)).toMatchObject({ valid: true })
    const row = json.paths["/v1/{chain}/tables/select"].get.responses[200].content["application/json"].schema
    const described = Object.keys(row.properties.data.items.properties)
    expect(described.slice(0, 2)).toEqual(["block_height", "order"])
    expect(described.sort()).toEqual(Object.keys(odd.tables.select.columns).sort())
  })

  test("of events has every row once in chain order, whatever the page, with its worker's coverage", async () => {
    const down = await rowsOf("select")
    expect(down).toHaveLength(rowCount)
    const places = down.map((row) => [Number(row["block_height"]), Number(row["order"])])
    expect(places).toEqual([...places].sort((a, b) => b[0]! - a[0]! || b[1]! - a[1]!))
    const row = down.find(({ block_height: height }) => height === "6")
    expect(row).toMatchObject({ limit: "0x00", filter: '=1+1: "é"', constructor: true, cursor: String(2n ** 300n) })
    expect(row).toMatchObject({ at: "2024-10-04" })
    expect(await rowsOf("select?from_height=5&to_height=7&order=asc")).toEqual(
      down.filter(({ block_height: height }) => height === "5" || height === "6").reverse(),
    )
    await served.store.app.query("update app.coverage set heights = '{[0,20)}' where worker_type = 'odd_worker'")
    const { json } = await served.get("/v1/test/tables/select?limit=1")
    await served.store.app.query("update app.coverage set heights = '{[0,40)}' where worker_type = 'odd_worker'")
    expect(json.meta).toMatchObject({ data_watermark: "19", required_workers: ["odd_worker"] })
    expect(Number(json.data[0].block_height)).toBeLessThan(20)
  })

  test("is filtered by columns of every kind that an index begins with", async () => {
    const all = await rowsOf("select")
    const [row] = all
    for (const name of ["limit", "user", "at", "cursor", "key_0", "filter", "block_height"]) {
      const one = name === "cursor" ? all.find(({ cursor }) => cursor !== null)! : row!
      const found = await rowsOf(`select?${filterOf(`${name}:${one[name]}`)}`)
      expect(found).toEqual(all.filter((other) => String(other[name]) === String(one[name])))
    }
    const both = await rowsOf(`select?${filterOf("filter:b:c", "constructor:false")}`)
    expect(both).toEqual(all.filter(({ filter }) => filter === "b:c"))
    expect(both.length).toBeGreaterThan(0)
  })

  test("of state comes in the order of the key, or of the index that finds it", async () => {
    const all = await rowsOf("table")
    expect(all.map((row) => [row["limit"], row["constructor"]])).toEqual(
      ["0x00", "0x01", "0x02"].flatMap((limit) => [false, true].map((one) => [limit, one])),
    )
    const even = await served.walk(`/v1/test/tables/table?${filterOf("constructor:true")}&order=desc`, 2)
    const order = (row: Record<string, string>): number => Number(row["order"])
    expect(even).toHaveLength(3)
    expect(even.map(order)).toEqual(even.map(order).sort((a, b) => b - a))
  })

  test("refuses what no index answers, and values that are none", async () => {
    const long = Array.from({ length: 9 }, (_, at) => `key_0:${at}`)
    for (const query of [
      filterOf("order:1"),
      filterOf("constructor:true"),
      filterOf("limit:0x00", "filter:b"),
      filterOf("limit:0x0"),
      filterOf("key_0:40000"),
      filterOf("at:2024-02-31x"),
      filterOf("user:0000-01-01T00:00:00Z"),
      filterOf("cursor:1.5"),
      filterOf("nothing:1"),
      filterOf("limit:0x00", "limit:0x00"),
      filterOf("limit"),
      filterOf(...long),
      "limit=0",
      "order:1",
    ]) {
      const { status, json } = await served.get(`/v1/test/tables/select?${query}`)
      expect([query, status, json.error?.code]).toEqual([query, 400, "BAD_REQUEST"])
    }
    expect((await served.get("/v1/test/tables/table?from_height=3")).status).toBe(400)
    for (const name of ["coverage", "nothing", "select_p0"])
      expect((await served.get(`/v1/test/tables/${name}`)).status).toBe(404)
  })
})

test("every filter that is allowed on any table of a worker is found by an index", async () => {
  const { store, chain } = served
  const tables = await chain.read("app", async (tx) => readWorkerTables(tx, await chain.registry.read(tx)))
  const samples = { bytes: "0x01", bool: "true", text: "a", timestamp: "2024-02-27T00:00:00Z", date: "2024-02-27" }
  let checked = 0
  for (const info of tables) {
    for (const index of [info.key, ...info.indexes]) {
      const filters = index.slice(0, 1).map((name) => {
        const { kind } = info.columns.find((column) => column.name === name)!
        return `${name}:${kind in samples ? samples[kind as keyof typeof samples] : "1"}`
      })
      const list = tableResource(info, filters)
      const covered = [{ from: 0, to: 40 }]
      const scope = { epoch: 0, start: 0, watermark: 39, isKnown: true, isEven: true, covered, done: covered }
      const selection = (await list.select(store.app, {}))!
      const page = { scope, asked: covered[0]!, order: list.order, limit: 25, after: undefined, selection }
      const { sql, values } = pageSql(list, page)
      const plan = await store.app.transaction(async (tx) => {
        await tx.query("set local enable_seqscan = off")
        return (await tx.query<{ "QUERY PLAN": string }>(`explain ${sql}`, values)).rows
      })
      const lines = plan.map((row) => row["QUERY PLAN"]).join("\n")
      expect([info.table, filters, lines.includes("Seq Scan")]).toEqual([info.table, filters, false])
      checked++
    }
  }
  expect(checked).toBeGreaterThan(40)
})
