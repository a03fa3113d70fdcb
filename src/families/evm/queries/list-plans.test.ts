// Every list reads by an index in the order of its rows, whatever its filters, and only partitions of the asked heights:
// in the sessions of the API, with the one plan that a statement keeps for all values.

import { afterAll, beforeAll, expect, test } from "vitest"
import { explainKept } from "../../../../test/support/explain-kept.js"
import { createTestDatabase, type TestDatabase } from "../../../../test/support/test-database.js"
import { testLedgers } from "../../../../test/support/test-ledgers.js"
import type { BlockRange } from "../../../domain/block-range.js"
import { ensurePartitions } from "../../../partitions/ensure-partitions.js"
import { Database } from "../../../postgres/database.js"
import type { ListResource } from "../../../queries/resource.js"
import { pageStatement } from "../../../queries/scoped-statement.js"
import { readSessions } from "../../../queries/served-chain.js"
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

const filters: Readonly<Record<string, string>> = {
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
const lists = evmFamily.resources.filter((one): one is ListResource => one.kind === "list")

/** What the path needs, then with the first filter, with the first two and so on, in each of the list's orders. */
const cases = lists.flatMap((list) => {
  const path = ["lookup_height", "lookup_index", ...Object.keys(list.params ?? {})]
  const optional = Object.keys(list.query ?? {})
  return [undefined, ...Object.keys(list.sorts ?? {})].flatMap((sort) =>
    Array.from({ length: optional.length + 1 }, (_, count) => {
      const given = optional.slice(0, count)
      const request = Object.fromEntries([...path, ...given].map((name) => [name, filters[name]!]))
      const title = [list.path, ...given, ...(sort ? [`sort=${sort}`] : [])].join(" ")
      const sorted: ListResource = { ...list, ...(sort ? list.sorts![sort] : {}) }
      return { title, list: sorted, request: { ...request, ...(sort ? { sort } : {}) } }
    }),
  )
})
type Case = (typeof cases)[number]

async function explain(
  { list, request }: Case,
  page: { asked?: BlockRange; order: "asc" | "desc"; after?: readonly string[] | undefined },
): Promise<string> {
  const covered = [{ from: 0, to: partitions }]
  const scope = { epoch: 0, start: 0, watermark: partitions - 1, isKnown: true, isEven: true, covered, done: covered }
  return reader.transaction(
    async (tx) => {
      const selection = (await list.select(tx, request))!
      const statement = pageStatement(list, {
        page: { ...{ asked: covered[0]!, after: undefined, limit: 25, scope, selection }, ...page },
        counted: request,
      })
      return explainKept(tx, statement)
    },
    { readOnly: true, fixedPlans: true },
  )
}

const heightsIn = (plan: string): number[] =>
  [...new Set([...plan.matchAll(/ on \w+_p(\d+)\b/g)].map(([, height]) => Number(height)))].sort((a, b) => a - b)

test.each(cases.map((one) => [one.title, one] as const))("%s", async (_title, one) => {
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
