import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { IndexerError } from "../platform/errors.js"
import { Database } from "../postgres/database.js"
import { countOpenErrors, listErrors } from "./list-errors.js"
import { errorHash, recordError, resolveErrors } from "./record-error.js"

let test_: TestDatabase
let database: Database
beforeAll(async () => {
  test_ = await createTestDatabase()
  database = new Database({ url: test_.url, applicationName: "test" })
})
afterAll(async () => {
  await database.end()
  await test_.drop()
})
beforeEach(async () => {
  await database.query("truncate app.indexing_errors")
})

const error = new IndexerError("WORKER_FAILED", "no room for 12 at 0xAbC")
const fault = { worker: "w", height: 5, error }
const transactionId = `0x${"ab".repeat(32)}`

test("an error of a block without transaction is one row, however often it is seen", async () => {
  await Promise.all(Array.from({ length: 5 }, () => recordError(database, fault)))
  await recordError(database, { ...fault, transactionId })
  const stored = await listErrors(database)
  expect(stored.map(({ seen, transactionId: id }) => [seen, id]).sort()).toEqual([
    [1, transactionId],
    [5, null],
  ])
})

test("an error that was resolved and comes back is open again, and counted", async () => {
  await recordError(database, fault)
  expect(await resolveErrors(database, { workers: ["w"], range: { from: 5, to: 6 } })).toBe(1)
  expect(await listErrors(database, { resolved: false })).toEqual([])
  await recordError(database, {
    ...fault,
    error: new IndexerError("WORKER_FAILED", "no room for 13 at 0x12"),
  })
  expect(await listErrors(database)).toMatchObject([
    {
      worker: "w",
      height: 5,
      resolved: false,
      seen: 2,
      message: "no room for 13 at 0x12",
      severity: "error",
    },
  ])
})

test("errors are the same but for numbers, hex words and white space; not for worker, code or wording", () => {
  const hash = (worker: string, of: unknown): string => errorHash({ worker, error: of }).toString("hex")
  const same = new IndexerError("WORKER_FAILED", "No  room for 7 at 0xff")
  expect(hash("w", same)).toBe(hash("w", error))
  const others = [
    hash("w", error),
    hash("v", error),
    hash("w", new Error(error.message)),
    hash("w", new IndexerError("DATABASE_ERROR", error.message)),
    hash("w", new IndexerError("WORKER_FAILED", "no space for 12 at 0xAbC")),
  ]
  expect(new Set(others).size).toBe(5)
})

test("only the heights of the range and the worker are resolved", async () => {
  for (const height of [4, 5, 6]) await recordError(database, { ...fault, height })
  await recordError(database, { ...fault, worker: "v" })
  expect(await resolveErrors(database, { workers: ["w"], range: { from: 4, to: 6 } })).toBe(2)
  expect(await countOpenErrors(database)).toEqual(
    new Map([
      ["v", 1],
      ["w", 1],
    ]),
  )
  expect((await listErrors(database, { worker: "w", resolved: false })).map(({ height }) => height)).toEqual([
    6,
  ])
  expect(await listErrors(database, { limit: 3 })).toHaveLength(3)
})

test("what made it fail is kept up to 4,096 bytes, NULs and all, cut between characters", async () => {
  const hostile = `\0\ud800${"é".repeat(4_000)}`
  await recordError(database, { ...fault, rawData: hostile, rawRef: "raw.events/5/0/0" })
  const [text] = await listErrors(database)
  expect(text!.rawData!.length).toBe(4_096)
  expect(text!.rawData!.toString()).toBe(`\0\ufffd${"é".repeat(2_046)}`)
  expect(text!.rawRef).toBe("raw.events/5/0/0")
  await recordError(database, { ...fault, height: 6, rawData: `a${"é".repeat(4_000)}` })
  const odd = (await listErrors(database)).find(({ height }) => height === 6)
  expect(odd!.rawData!.toString()).toBe(`a${"é".repeat(2_047)}`)
  await recordError(database, { ...fault, height: 7, rawData: new Uint8Array(5_000) })
  const bytes = (await listErrors(database)).find(({ height }) => height === 7)
  expect(bytes!.rawData!.length).toBe(4_096)
})

test("a message with NULs, of any length, is kept, without secrets", async () => {
  const message = `a\0b password=hunter2 at https://node.example/key123 ${"x ".repeat(5_000)}`
  await recordError(database, { ...fault, error: new Error(message) })
  const [stored] = await listErrors(database)
  expect(stored!.message).toMatch(/^a\ufffdb password=\*\*\* at https:\/\/node.example\/… x/)
  expect(stored!.message.length).toBeLessThan(2_100)
})
