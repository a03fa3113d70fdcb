// Every list reads by an index in the order of its rows, whatever its filters, and only partitions of the asked heights:
// in the sessions of the API, with the one plan that a statement keeps for all values. Those in the format of Etherscan too.

import { afterAll, beforeAll, expect, test } from "vitest"
import { explainKept } from "../../../../test/support/explain-kept.js"
import { type ListCase, listCases, windowCases } from "../../../../test/support/list-cases.js"
import { createTestDatabase, type TestDatabase } from "../../../../test/support/test-database.js"
import { testLedgers } from "../../../../test/support/test-ledgers.js"
import type { BlockRange } from "../../../domain/block-range.js"
import { ensurePartitions } from "../../../partitions/ensure-partitions.js"
import { Database } from "../../../postgres/database.js"
import { windowSql } from "../../../queries/etherscan/read-window.js"
import { pageSql } from "../../../queries/read-page.js"
import { pageStatement } from "../../../queries/scoped-statement.js"
import { readSessions } from "../../../queries/served-chain.js"
import { tableResource } from "../../../queries/table-resource.js"
import { readWorkerTables } from "../../../queries/worker-tables.js"
import { ensureWorkerTables } from "../../../workers/postgres/ensure-worker-tables.js"
import { WorkerRegistry } from "../../../workers/worker-registry.js"
import { evmFamily } from "../evm-family.js"

/** One height each. */
const partitions = 50
let place: TestDatabase
let database: Database
let reader: Database

beforeAll(async () => {
  place = await createTestDatabase()
  database = new Database({ url: place.url, applicationName: "test", maxConnections: 1 })
  const registry = new WorkerRegistry(evmFamily.workers)
  await ensureWorkerTables({ executor: database, ledger: testLedgers.app }, { registry })
  const tables = [...evmFamily.rawTables, ...registry.partitionedTables()]
  await ensurePartitions(database, {
    tables: tables.map((table) => ({ ...table, blocksPerPartition: 1 })),
    range: { from: 0, to: partitions },
  })
  reader = new Database({ url: place.url, applicationName: "test", maxConnections: 1, ...readSessions })
}, 60_000)
afterAll(async () => {
  await reader.end()
  await database.end()
  await place.drop()
})

const values = {
  address: `0x${"01".repeat(20)}`,
  contract: `0x${"c0".repeat(20)}`,
  hash: `0x${"00".repeat(32)}`,
  topic0: `0x${"ab".repeat(32)}`,
  block: "3",
  at: "3",
  lookup_height: "3",
  lookup_index: "0",
}
const keyValues = {
  ...{ int8: "3", int4: "0", int2: "0", numeric: "5", bytea: "01", text: "a", date: "2024-02-27" },
  ...{ bool: "t", timestamptz: "2024-02-27" },
}
const covered = [{ from: 0, to: partitions }]
const scope = { epoch: 0, start: 0, watermark: partitions - 1, isKnown: true, isEven: true, covered, done: covered }

async function explain(
  { list, request }: ListCase,
  page: { asked?: BlockRange; order: "asc" | "desc"; after?: readonly string[] | undefined },
): Promise<string> {
  const isSummed = "at" in request
  return reader.transaction(
    async (tx) => {
      const selection = (await list.select(tx, request))!
      // Planned for its values: it may sort what it found.
      if (isSummed) await tx.query("set local enable_seqscan = off")
      const statement = pageStatement(list, {
        page: { ...{ asked: covered[0]!, after: undefined, limit: 25, scope, selection }, ...page },
        counted: request,
      })
      return explainKept(tx, statement)
    },
    { readOnly: true, fixedPlans: !isSummed },
  )
}

const samples = { bytes: "0x01", bool: "true", text: "a", timestamp: "2024-02-27T00:00:00Z", date: "2024-02-27" }

test("every table of a worker, filtered by whatever begins an index, reads only the asked heights", async () => {
  const tables = await readWorkerTables(reader, new WorkerRegistry(evmFamily.workers))
  const events = tables.filter(({ kind }) => kind === "events")
  expect(events.length).toBeGreaterThan(8)
  for (const info of events) {
    for (const index of [info.key, ...info.indexes]) {
      const filters = index.slice(0, 1).map((name) => {
        const { kind } = info.columns.find((column) => column.name === name)!
        return `${name}:${kind in samples ? samples[kind as keyof typeof samples] : "3"}`
      })
      const list = tableResource(info, filters)
      const selection = (await list.select(reader, {}))!
      const page = { scope, asked: { from: 3, to: 5 }, order: list.order, limit: 25, after: undefined, selection }
      const { sql, values } = pageSql(list, page)
      const { rows } = await reader.query<{ "QUERY PLAN": string }>(`explain ${sql}`, values)
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n")
      expect([info.table, filters, plan]).toEqual([info.table, filters, expect.not.stringContaining("Seq Scan")])
      const heights = heightsIn(plan)
      expect([info.table, heights.filter((height) => height < 3 || height > 4)]).toEqual([info.table, []])
    }
  }
})

const heightsIn = (plan: string): number[] =>
  [...new Set([...plan.matchAll(/ on \w+_p(\d+)\b/g)].map(([, height]) => Number(height)))].sort((a, b) => a - b)

test.each(listCases(values).map((one) => [one.title, one] as const))("%s", async (_title, one) => {
  for (const after of [undefined, one.list.key.map(({ type }) => keyValues[type])]) {
    for (const order of ["asc", "desc"] as const) {
      const plan = await explain(one, { order, after })
      expect(plan).toContain("Index")
      // That of the chain has one row.
      expect(plan.replace(/Seq Scan on chain_state.*/g, "")).not.toContain("Seq Scan")
      // Within one height, or of the few rows that the branches of a union leave: never of a whole table.
      if (!("at" in one.request)) expect(plan).not.toMatch(/(?<!Incremental )Sort {2}\(/)
      if (!one.list.height) continue
      // A cursor at height 3: what was on earlier pages is not read again.
      const rest = heightsIn(plan)
      if (after) expect(rest.filter((height) => (order === "asc" ? height < 3 : height > 3))).toEqual([])
      const bounded = heightsIn(await explain(one, { order, asked: { from: 3, to: 5 } }))
      expect(bounded.filter((height) => height < 3 || height > 4)).toEqual([])
      expect(bounded.length).toBeGreaterThan(0)
    }
  }
})

test.each(windowCases(values).map((one) => [one.title, one] as const))("%s", async (_title, one) => {
  const { list, selection, large } = one
  for (const asked of [covered[0]!, { from: 3, to: 5 }]) {
    for (const page of [
      { skip: 0, take: 10 },
      { skip: 9_990, take: 10 },
    ]) {
      for (const order of ["asc", "desc"] as const) {
        const request = { selection, page, order, ...(large ? { large } : {}) }
        const { sql, values } = windowSql({ scope, asked }, list, request)
        const plan = await database.transaction(async (tx) => {
          // Where there is another way than reading all rows, it is taken: one that still does has no index to use.
          await tx.query("set local enable_seqscan = off")
          const { rows } = await tx.query<{ "QUERY PLAN": string }>(`explain ${sql}`, values)
          return rows.map((row) => row["QUERY PLAN"]).join("\n")
        })
        expect(plan).toContain("Index")
        expect(plan).not.toContain("Seq Scan")
        if (list.height && asked.to === 5)
          expect(heightsIn(plan).filter((height) => height < 3 || height > 4)).toEqual([])
      }
    }
  }
})
