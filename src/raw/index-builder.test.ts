import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type RunningChainServer, startChainServer } from "../../test/support/chain-server.js"
import { openRawStore, type RawStore } from "../../test/support/raw-store.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { electionLock } from "../coordination/postgres/locks.js"
import { postgresElections } from "../coordination/postgres/postgres-elections.js"
import { evmRawTables } from "../families/evm/raw/raw-tables.js"
import { ensurePartitions } from "../partitions/ensure-partitions.js"
import { indexedHeights, readPartitionIndexes } from "../partitions/partition-indexes.js"
import type { PartitionedTable } from "../partitions/partitioned-table.js"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { Connection } from "../postgres/connection.js"
import { readChainState } from "./chain-state.js"
import { IndexBuilder } from "./index-builder.js"

const million = 1_000_000
const signal = new AbortController().signal
const [bottom, top] = [
  { from: 0, to: 5 * million },
  { from: 10 * million, to: 15 * million },
]
const transactions = evmRawTables.find(({ table }) => table === "transactions")!
let server: RunningChainServer
let store: RawStore
const connections: Connection[] = []

beforeAll(async () => {
  server = await startChainServer({ blocks: 20, transactionsPerBlock: 3, logsPerBlock: 3, holders: 20 })
})
afterAll(() => server.stop())
beforeEach(async () => {
  store = await openRawStore({ deferIndexes: true })
})
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.destroy()
  await store.close()
})

async function connect(): Promise<Connection> {
  const connection = await Connection.open({ url: store.url, applicationName: "test" })
  connections.push(connection)
  return connection
}

const builder = (over: Partial<ConstructorParameters<typeof IndexBuilder>[0]> = {}): IndexBuilder =>
  new IndexBuilder({
    database: store.database,
    connect,
    elections: postgresElections,
    ledger: testLedgers.raw,
    tables: evmRawTables,
    defer: true,
    chain: async () => ({ ...(await readChainState(store.database))!, liveFrom: 12 * million }),
    clock: systemClock,
    logger: silentLogger,
    intervalMs: 1_000,
    ...over,
  })

const states = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await readPartitionIndexes(store.database, evmRawTables)).map(({ partition, state }) => [partition, state]),
  )

/** A bulk load: a few blocks at the bottom, the live stretch far above. */
async function load(into = store): Promise<void> {
  await into.database.query("update raw.chain_state set live_from = $1", [12 * million])
  const outcome = await into.ingest(into.source(server.url), { from: 0, to: 20 })
  expect(outcome.kind).toBe("done")
  const range = { from: 12 * million, to: 12 * million + 1 }
  await ensurePartitions(into.database, { tables: [transactions], range })
}

const cover = (heights: string) =>
  store.database.query("update raw.coverage set heights = $1::int8multirange", [heights])

describe("the indexes of a partition", () => {
  test("exist from the start without the setting", async () => {
    const plain = await openRawStore()
    try {
      await load(plain)
      expect(await indexedHeights(plain.database, transactions)).toEqual([bottom, top])
      const { rows } = await plain.database.query<{ columns: string }>(
        `select pg_get_indexdef('raw.transactions_p0_block_height_transaction_index'::regclass) as columns`,
      )
      expect(rows[0]!.columns).toContain("(block_height, transaction_index)")
    } finally {
      await plain.close()
    }
  })

  test("are built once it is covered when deferred, except in the live stretch", async () => {
    await load()
    expect(await states()).toEqual({ transactions_p0: "absent", transactions_p10000000: "valid" })
    expect(await builder().runOnce(signal)).toBeUndefined()
    await cover("{[0,4999999)}")
    expect(await builder().runOnce(signal)).toBeUndefined()
    expect(await indexedHeights(store.database, transactions)).toEqual([top])
    await cover("{[0,5000000)}")
    expect(await builder().runOnce(signal)).toBe(0)
    expect(await builder().runOnce(signal)).toBeUndefined()
    expect(await states()).toEqual({ transactions_p0: "valid", transactions_p10000000: "valid" })
    expect(await indexedHeights(store.database, transactions)).toEqual([bottom, top])
  })

  test("do not wait for what lies below the chain's start, nor for a block that was skipped", async () => {
    await load()
    await store.database.query("update raw.chain_state set start_height = 100")
    await store.database.query("update raw.coverage set skipped = '{[200,201)}'")
    await cover("{[100,200),[201,5000000)}")
    expect(await builder().runOnce(signal)).toBe(0)
    expect(await states()).toMatchObject({ transactions_p0: "valid" })
  })

  test("are built at once when the setting is removed", async () => {
    await load()
    expect(await builder({ defer: false }).runOnce(signal)).toBe(0)
    expect(await states()).toMatchObject({ transactions_p0: "valid" })
  })

  test("are built one at a time, and an interrupted build is repeated", async () => {
    await load()
    await cover("{[0,5000000)}")
    // The build waits for an old snapshot.
    const reader = await connect()
    await reader.begin({ isolation: "repeatable read" })
    await reader.query("select count(*) from raw.transactions")
    const first = builder().runOnce(signal)
    first.catch(() => undefined)
    const pid = await waitUntil(
      async () => {
        const { rows } = await store.database.query<{ pid: number }>(
          "select pid from pg_stat_progress_create_index where datname = current_database()",
        )
        return rows[0]?.pid
      },
      { what: "an index build", everyMs: 5 },
    )
    // Another process leaves it alone.
    expect(await builder().runOnce(signal)).toBeUndefined()
    await waitUntil(async () => (await states())["transactions_p0"] === "invalid", {
      what: "it in the catalogue",
    })
    expect(await indexedHeights(store.database, transactions)).toEqual([top])
    await store.database.query("select pg_terminate_backend($1)", [pid])
    await expect(first).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE" })
    await reader.rollback()
    expect(await states()).toMatchObject({ transactions_p0: "invalid" })
    expect(await builder().runOnce(signal)).toBe(0)
    expect(await states()).toMatchObject({ transactions_p0: "valid" })
  })

  test("are built by the elected process alone", async () => {
    await load()
    await cover("{[0,5000000)}")
    const other = await connect()
    await other.begin()
    await other.query("select pg_advisory_xact_lock($1, $2)", [...electionLock("index-builder")])
    expect(await builder().runOnce(signal)).toBeUndefined()
    expect(await states()).toMatchObject({ transactions_p0: "absent" })
    await other.commit()
    expect(await builder().runOnce(signal)).toBe(0)
  })

  test("are built once when many processes try", async () => {
    await load()
    await cover("{[0,5000000)}")
    const ran = await Promise.all(Array.from({ length: 4 }, () => builder().runOnce(signal)))
    expect(ran.filter((wait) => wait === 0)).toHaveLength(1)
    expect(await states()).toMatchObject({ transactions_p0: "valid" })
  })

  test("of a derived table follow the coverage of its worker", async () => {
    const { database } = store
    const table: PartitionedTable = {
      schema: "app",
      table: "things",
      blocksPerPartition: 10,
      worker: "things",
      indexes: [
        { name: "sender_height", on: "sender, height desc" },
        { name: "height_sender", on: "height, sender" },
      ],
    }
    await database.query(
      `create table app.things (height int8 not null, sender bytea not null, primary key (height, sender))
       partition by range (height)`,
    )
    await database.query(
      "insert into app.chain_state (chain_name, chain_id, genesis_hash, start_height) values ('t', 1, '', 0)",
    )
    await database.query("insert into app.coverage (worker_type, heights) values ('things', '{[0,10)}')")
    await ensurePartitions(database, { tables: [table], range: { from: 0, to: 40 }, deferIndexesBelow: 25 })
    expect(await indexedHeights(database, table)).toEqual([{ from: 20, to: 40 }])
    const service = builder({
      ...{ ledger: testLedgers.app, tables: [table] },
      chain: async () => ({ startHeight: 0, liveFrom: 25 }),
    })
    expect(await service.runOnce(signal)).toBe(0)
    expect(await indexedHeights(database, table)).toEqual([{ from: 20, to: 40 }])
    expect(await service.runOnce(signal)).toBe(0)
    expect(await service.runOnce(signal)).toBeUndefined()
    expect(await indexedHeights(database, table)).toEqual([
      { from: 0, to: 10 },
      { from: 20, to: 40 },
    ])
  })
})
