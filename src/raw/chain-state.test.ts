import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { Database } from "../postgres/database.js"
import { migrationsDirectory, readMigrationFiles } from "../postgres/migration-files.js"
import { type PinOptions, pinChain, readChainName, readChainState, recordHead } from "./chain-state.js"

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
    await recordHead(database, { head: head(110), finalizedHeight: 100, holder: "a" })
    await recordHead(database, { head: head(120), finalizedHeight: 112, holder: "a" })
    await recordHead(database, { head: head(105), finalizedHeight: 90, holder: "b" })
    expect(await readChainState(database)).toMatchObject({
      headHeight: 105,
      finalizedHeight: 112,
      liveFrom: 100,
    })
  })

  test("a start above finality is where the live stretch opens", async () => {
    await pin({ startBlock: 107 })
    await recordHead(database, { head: head(110), finalizedHeight: 100, holder: "a" })
    expect((await readChainState(database))!.liveFrom).toBe(107)
  })
})
