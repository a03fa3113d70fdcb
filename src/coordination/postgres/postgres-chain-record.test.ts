import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.js"
import { evmRawTables } from "../../families/evm/raw/raw-tables.js"
import { ensurePartitions } from "../../partitions/ensure-partitions.js"
import { systemRandom } from "../../platform/random.js"
import { Database } from "../../postgres/database.js"
import { migrationsDirectory, readMigrationFiles } from "../../postgres/migration-files.js"
import { readChainName, readChainState } from "../../raw/chain-state.js"
import { rawIngester } from "../raw-ingester.js"
import { type PinOptions, pinChain } from "./pin-chain.js"
import { postgresChainRecord } from "./postgres-chain-record.js"

const { recordFinality, recordHead } = postgresChainRecord
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

const holder = { id: "a", name: "host:1" }
const hash = (digit: string): string => `0x${digit.repeat(64)}`
const pin = (over: Partial<PinOptions> = {}) =>
  database.transaction((tx) =>
    pinChain(tx, {
      schema: "raw",
      name: "test",
      identity: { chainId: "1", genesisHash: hash("a") },
      startBlock: undefined,
      ...over,
    }),
  )
const head = (height: number) => ({ height, hash: hash("b"), finalizedHeight: null })

describe("what a store knows of its chain", () => {
  test("its name can be read while another process has only begun to migrate", async () => {
    await database.query("drop schema raw cascade")
    expect(await readChainName(database)).toBeUndefined()
    const [first] = await readMigrationFiles(migrationsDirectory("raw"))
    await database.query("create schema raw")
    await database.query(first!.sql)
    expect(await readChainName(database)).toBeUndefined()
    await pin()
    expect(await readChainName(database)).toBe("test")
  })

  test("chain id and genesis are pinned at the first start and checked ever after", async () => {
    expect(await pin()).toEqual({ pinned: true, extended: false })
    expect(await pin()).toEqual({ pinned: false, extended: false })
    await expect(pin({ identity: { chainId: "2", genesisHash: hash("a") } })).rejects.toMatchObject({
      code: "CHAIN_MISMATCH",
    })
    await expect(pin({ identity: { chainId: "1", genesisHash: hash("c") } })).rejects.toMatchObject({
      code: "CHAIN_MISMATCH",
    })
  })

  test("a node that does not give its first block is taken by its id, and the first that does is held to", async () => {
    const unknown = { chainId: "1", genesisHash: hash("0") }
    await pin({ identity: unknown })
    await pin({ identity: unknown })
    await expect(pin({ identity: { ...unknown, chainId: "2" } })).rejects.toMatchObject({
      code: "CHAIN_MISMATCH",
    })
    await pin()
    expect((await readChainState(database))!.genesisHash).toBe(hash("a"))
    await pin({ identity: unknown })
    expect((await readChainState(database))!.genesisHash).toBe(hash("a"))
    await expect(pin({ identity: { chainId: "1", genesisHash: hash("c") } })).rejects.toMatchObject({
      code: "CHAIN_MISMATCH",
    })
  })

  test("a chain id above 2^53 stays exact", async () => {
    const identity = {
      chainId: "115792089237316195423570985008687907853269984665640564039457",
      genesisHash: hash("a"),
    }
    await pin({ identity })
    expect((await readChainState(database))!.chainId).toBe(identity.chainId)
    await pin({ identity })
  })

  test("the start may be lowered, never raised", async () => {
    await pin({ startBlock: 100 })
    await expect(pin({ startBlock: 101 })).rejects.toMatchObject({ code: "START_BLOCK_RAISED" })
    expect(await pin({ startBlock: 40 })).toEqual({ pinned: false, extended: true })
    expect((await readChainState(database))!.startHeight).toBe(40)
    expect(await pin()).toEqual({ pinned: false, extended: false })
  })

  test("finality never goes back, and the live stretch opens where it stood first", async () => {
    await pin()
    await recordHead(database, { head: head(110), finalizedHeight: 100, holder })
    await recordHead(database, { head: head(120), finalizedHeight: 112, holder })
    await recordHead(database, { head: head(105), finalizedHeight: 90, holder })
    expect(await readChainState(database)).toMatchObject({
      headHeight: 105,
      finalizedHeight: 112,
      liveFrom: 100,
    })
  })

  test("finality rises over stored blocks only when they are linked to the head, or were compared", async () => {
    await pin()
    await recordHead(database, { head: head(110), finalizedHeight: 100, holder })
    await ensurePartitions(database, { tables: evmRawTables, range: { from: 0, to: 200 } })
    const store = async (from: number, to: number): Promise<void> => {
      await database.query(
        `insert into raw.blocks (height, hash, parent_hash, timestamp, transaction_count, event_count)
         select height, $3, $3, now(), 0, 0 from generate_series($1::int8, $2::int8 - 1) as height`,
        [from, to, Buffer.from(hash("b").slice(2), "hex")],
      )
      await database.query(
        `insert into raw.coverage (worker_type, heights) values ($1, int8multirange(int8range($2::int8, $3::int8)))
         on conflict (worker_type) do update set heights = coverage.heights + excluded.heights`,
        [rawIngester, from, to],
      )
    }
    await store(90, 111)
    // The process was away: what is stored above 100 may have lost meanwhile.
    expect(await recordHead(database, { head: head(150), finalizedHeight: 140, holder })).toBe(100)
    const lost = { ...head(110), hash: hash("c") }
    expect(await recordHead(database, { head: lost, finalizedHeight: 105, holder })).toBe(100)
    expect(await recordHead(database, { head: head(110), finalizedHeight: 105, holder })).toBe(105)
    await store(112, 151)
    expect(await recordHead(database, { head: head(150), finalizedHeight: 140, holder })).toBe(105)
    await store(111, 112)
    expect(await recordHead(database, { head: head(150), finalizedHeight: 140, holder })).toBe(140)
    await recordFinality(database, { finalizedHeight: 148, holder: { id: systemRandom.uuid(), name: "another" } })
    expect((await readChainState(database))!.finalizedHeight).toBe(140)
    await recordFinality(database, { finalizedHeight: 145, holder })
    expect((await readChainState(database))!.finalizedHeight).toBe(145)
  })

  test("a start above finality is where the live stretch opens", async () => {
    await pin({ startBlock: 107 })
    await recordHead(database, { head: head(110), finalizedHeight: 100, holder })
    expect((await readChainState(database))!.liveFrom).toBe(107)
  })
})
