import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { evmRawTables as tables } from "../families/evm/raw/raw-tables.js"
import { Connection } from "../postgres/connection.js"
import { Database } from "../postgres/database.js"
import { ensurePartitions } from "./ensure-partitions.js"
import { RangePartitions } from "./range-partitions.js"
import { settlePartitionSize, sizedTables } from "./settle-partition-size.js"

let created: TestDatabase
let database: Database
beforeEach(async () => {
  created = await createTestDatabase()
  database = new Database({ url: created.url, applicationName: "test" })
})
afterEach(async () => {
  await database.end()
  await created.drop()
})

const settle = (wanted?: number, startHeight = 0) =>
  settlePartitionSize(database, { tables, wanted, setting: "RAW_PARTITION_BLOCKS", startHeight })

async function partitions(): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    "select child.relname as name from pg_inherits join pg_class child on child.oid = inhrelid where relkind = 'r' order by 1",
  )
  return rows.map(({ name }) => name)
}

describe("the size of partitions", () => {
  test("is the default of each table unless a new store was given another", async () => {
    expect(await settle()).toBeUndefined()
    expect(await partitions()).toEqual([])
    expect(await settle(2_000, 5_000)).toBe(2_000)
    expect(await partitions()).toEqual(["blocks_p4000", "events_p4000", "transactions_p4000"])
  })

  test("is kept by the store: a process that asks for none, or for the same, gets it", async () => {
    await settle(2_000)
    expect(await settle()).toBe(2_000)
    expect(await settle(2_000)).toBe(2_000)
    // As a table of a later release, which has no partition yet.
    await database.query("drop table raw.events_p0")
    expect(await settle()).toBe(2_000)
  })

  test("of a store cannot be changed, and the message says what the store has", async () => {
    await settle(2_000)
    await expect(settle(3_000)).rejects.toMatchObject({
      code: "PARTITION_SIZE_FIXED",
      message: expect.stringContaining("blocks 2000, transactions 2000, events 2000"),
    })
  })

  test("of a store with default sizes cannot be changed either", async () => {
    await ensurePartitions(database, { tables, range: { from: 0, to: 1 } })
    await expect(settle(5_000_000)).rejects.toMatchObject({
      code: "PARTITION_SIZE_FIXED",
      message: expect.stringContaining("events 10000000"),
    })
    expect(await settle()).toBeUndefined()
  })

  test("is one for all processes that start a new store at once", async () => {
    const settled = await Promise.allSettled([settle(2_000), settle(3_000), settle(2_000), settle(3_000)])
    const sizes = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))
    expect(sizes).toHaveLength(2)
    expect(new Set(sizes).size).toBe(1)
  })
})

test("ranges get every partition that they reach into, wherever their neighbours ended", async () => {
  const connection = await Connection.open({ url: created.url, applicationName: "test" })
  const made = new RangePartitions(sizedTables(tables.slice(0, 1), 1_000))
  await made.ensure(connection, { range: { from: 0, to: 600 } })
  expect(await partitions()).toEqual(["blocks_p0"])
  await made.ensure(connection, { range: { from: 600, to: 1_400 } })
  expect(await partitions()).toEqual(["blocks_p0", "blocks_p1000"])
  await connection.end()
})
