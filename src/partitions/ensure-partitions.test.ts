import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { pinChain } from "../coordination/postgres/pin-chain.js"
import { evmRawTables } from "../families/evm/raw/raw-tables.js"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { Connection } from "../postgres/connection.js"
import { Database } from "../postgres/database.js"
import { PartitionKeeper } from "../raw/partition-keeper.js"
import { ensurePartitions } from "./ensure-partitions.js"

let test_: TestDatabase
let database: Database
beforeEach(async () => {
  test_ = await createTestDatabase()
  database = new Database({ url: test_.url, applicationName: "test", maxConnections: 20 })
})
afterEach(async () => {
  await database.end()
  await test_.drop()
})

async function partitions(): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid order by 1`,
  )
  return rows.map(({ name }) => name).filter((name) => !name.includes("key") && !name.includes("idx"))
}

const tables = evmRawTables

describe("partitions", () => {
  test("are made on demand, of the sizes promised, and named after their first height", async () => {
    await ensurePartitions(database, { tables, range: { from: 9_999_999, to: 10_000_001 } })
    expect((await partitions()).filter((name) => /_p\d+$/.test(name))).toEqual([
      "blocks_p10000000",
      "blocks_p5000000",
      "events_p0",
      "events_p10000000",
      "transactions_p10000000",
      "transactions_p5000000",
    ])
  })

  test("many processes that want the same ones at once all get them", async () => {
    const made = await Promise.all(
      Array.from({ length: 16 }, () => ensurePartitions(database, { tables, range: { from: 0, to: 1 } })),
    )
    expect(made.flat().sort()).toEqual(["blocks_p0", "events_p0", "transactions_p0"])
  })

  test("are made while a writer has the table open", async () => {
    await ensurePartitions(database, { tables, range: { from: 0, to: 1 } })
    const writer = await Connection.open({ url: test_.url, applicationName: "writer" })
    await writer.begin()
    await writer.query(
      `insert into raw.blocks (height, hash, parent_hash, timestamp, transaction_count, event_count)
       values (1, '\\x01', '\\x00', now(), 0, 0)`,
    )
    const made = await ensurePartitions(database, { tables, range: { from: 5_000_000, to: 5_000_001 } })
    expect(made.sort()).toEqual(["blocks_p5000000", "transactions_p5000000"])
    await writer.commit()
    await writer.end()
  })

  test("have the keys and indexes of their table from the start", async () => {
    await ensurePartitions(database, { tables, range: { from: 0, to: 1 } })
    const { rows } = await database.query<{ columns: string }>(
      `select string_agg(attname, ',' order by ordinality) as columns
       from pg_index, unnest(indkey) with ordinality as key (attnum, ordinality)
       join pg_attribute on attrelid = 'raw.transactions_p0'::regclass and pg_attribute.attnum = key.attnum
       where indrelid = 'raw.transactions_p0'::regclass group by indexrelid order by 1`,
    )
    expect(rows.map(({ columns }) => columns)).toEqual(["block_height,id", "block_height,transaction_index"])
  })

  test("have statistics taken of them less often than other tables", async () => {
    await ensurePartitions(database, { tables, range: { from: 0, to: 1 } })
    const { rows } = await database.query<{ options: string[] }>(
      "select reloptions as options from pg_class where oid = 'raw.events_p0'::regclass",
    )
    expect(rows[0]!.options).toEqual(["autovacuum_analyze_scale_factor=0.5"])
  })

  test("the keeper has the head's and the next two ready", async () => {
    const identity = { chainId: "1", genesisHash: `0x${"00".repeat(32)}` }
    await database.transaction((tx) => pinChain(tx, { schema: "raw", name: "t", identity, startBlock: undefined }))
    const head = { height: 12_345_678, hash: `0x${"11".repeat(32)}`, finalizedHeight: null }
    await testLedgers.raw.recordHead(database, {
      head,
      finalizedHeight: 12_345_600,
      holder: { id: "test", name: "test" },
    })
    const keeper = new PartitionKeeper({
      database,
      tables,
      clock: systemClock,
      logger: silentLogger,
      intervalMs: 1_000,
    })
    await keeper.runOnce()
    expect((await partitions()).filter((name) => /^blocks_p\d+$/.test(name))).toEqual([
      "blocks_p10000000",
      "blocks_p15000000",
      "blocks_p20000000",
    ])
  })

  test("every event table's key starts with the height", async () => {
    const { rows } = await database.query<{ table: string; first: string }>(
      `select relname as table, attname as first from pg_index
       join pg_class on pg_class.oid = indrelid join pg_attribute on attrelid = indrelid and attnum = indkey[0]
       where indisprimary and relkind = 'p' order by 1`,
    )
    expect(rows.length).toBeGreaterThanOrEqual(5)
    for (const { first } of rows) expect(first).toMatch(/^(block_)?height$/)
  })
})
