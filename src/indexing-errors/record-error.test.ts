import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { IndexerError } from "../platform/errors.js"
import { Database } from "../postgres/database.js"
import { countOpenErrors, listErrors } from "./list-errors.js"
import { errorHash, recordError } from "./record-error.js"
import { resolveErrors } from "./resolve-errors.js"

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
  await database.query("truncate raw.indexing_errors, app.indexing_errors, app.worker_leases, app.coverage")
})

const error = new IndexerError("WORKER_FAILED", "no room for 12 at 0xAbC")
const fault = { worker: "w", range: { from: 5, to: 6 }, error }
const at = (height: number) => ({ ...fault, range: { from: height, to: height + 1 } })
const transactionId = `0x${"ab".repeat(32)}`

test("an error of a block without transaction is one row, however often it is seen", async () => {
  await Promise.all(Array.from({ length: 5 }, () => recordError(database, "app", fault)))
  await recordError(database, "app", {
    ...fault,
    error: Object.assign(new IndexerError("WORKER_FAILED", error.message), { transactionId }),
  })
  const stored = await listErrors(database, "app")
  expect(stored.map(({ seen, transactionId: id }) => [seen, id]).sort()).toEqual([
    [1, transactionId],
    [5, null],
  ])
})

test("an error that was resolved and comes back is open again, and counted", async () => {
  await recordError(database, "app", fault)
  await resolveErrors(database, "app", { workers: ["w"], range: { from: 5, to: 6 } })
  expect(await listErrors(database, "app", { resolved: false })).toEqual([])
  await recordError(database, "app", {
    ...fault,
    error: new IndexerError("WORKER_FAILED", "no room for 13 at 0x12"),
  })
  expect(await listErrors(database, "app")).toMatchObject([
    {
      worker: "w",
      height: 5,
      resolved: false,
      seen: 2,
      message: "no room for 13 at 0x12",
      severity: "WARN",
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
  for (const height of [4, 5, 6]) await recordError(database, "app", at(height))
  await recordError(database, "app", { ...fault, worker: "v" })
  await resolveErrors(database, "app", { workers: ["w"], range: { from: 4, to: 6 } })
  expect(await countOpenErrors(database, "app")).toEqual(
    new Map([
      ["v", 1],
      ["w", 1],
    ]),
  )
  expect((await listErrors(database, "app", { worker: "w", resolved: false })).map(({ height }) => height)).toEqual([
    6,
  ])
  expect(await listErrors(database, "app", { limit: 3 })).toHaveLength(3)
})

test("what made it fail is kept up to 4,096 bytes, NULs and all, cut between characters", async () => {
  const failedOn = async (height: number, details: object) => {
    const told = { ...at(height), error: Object.assign(new Error("no"), details) }
    await recordError(database, "app", told)
    return (await listErrors(database, "app")).find((one) => one.height === height)!
  }
  const text = await failedOn(5, { rawData: `\0\ud800${"é".repeat(4_000)}`, rawRef: "raw.events/5/0/0" })
  expect(text.rawData!.length).toBe(4_096)
  expect(text.rawData!.toString()).toBe(`\0\ufffd${"é".repeat(2_046)}`)
  expect(text.rawRef).toBe("raw.events/5/0/0")
  const odd = await failedOn(6, { rawData: `a${"é".repeat(4_000)}` })
  expect(odd.rawData!.toString()).toBe(`a${"é".repeat(2_047)}`)
  expect((await failedOn(7, { rawData: new Uint8Array(5_000) })).rawData!.length).toBe(4_096)
  // What is no id, no text and no bytes is left out; a worker's block is at hand all the same.
  expect(await failedOn(8, { transactionId: "0xno", rawData: 7, rawRef: 7 })).toMatchObject({
    ...{ transactionId: null, rawData: null, rawRef: "raw.blocks/8" },
  })
})

test("what a cause says counts where the error itself says nothing", async () => {
  const cause = Object.assign(new Error("refused"), { transactionId, detail: "Failing row contains (5)." })
  const wrapped = new IndexerError("DATABASE_ERROR", "no", { cause, data: { rawRef: "raw.blocks/5" } })
  await recordError(database, "raw", { ...fault, error: wrapped })
  const [stored] = await listErrors(database, "raw")
  expect(stored).toMatchObject({ transactionId, rawRef: "raw.blocks/5" })
  expect(stored!.rawData!.toString()).toBe("Failing row contains (5).")
})

test("an error is FATAL where the block is DEAD or the bug is ours, else it is tried again", async () => {
  await database.query(
    `insert into app.worker_leases (worker_type, from_height, to_height, status, attempt, epoch, lease_ttl_ms)
     values ('w', 6, 7, 'DEAD', 20, gen_random_uuid(), 30000), ('w', 5, 6, 'FAILED', 2, gen_random_uuid(), 30000)`,
  )
  for (const height of [5, 6]) await recordError(database, "app", at(height))
  await recordError(database, "app", { ...at(7), isBug: true })
  const severities = (await listErrors(database, "app")).map(({ height, severity }) => [height, severity])
  expect(severities.sort()).toEqual([
    [5, "WARN"],
    [6, "FATAL"],
    [7, "FATAL"],
  ])
  await database.query("update app.worker_leases set status = 'FAILED' where status = 'DEAD'")
  await recordError(database, "app", at(6))
  expect((await listErrors(database, "app"))[0]).toMatchObject({ height: 6, severity: "WARN" })
})

test("of a block that somebody else has done by now nothing is recorded", async () => {
  await database.query("insert into app.coverage (worker_type, heights) values ('w', '{[5,6)}')")
  for (const height of [5, 6]) await recordError(database, "app", at(height))
  expect((await listErrors(database, "app")).map(({ height }) => height)).toEqual([6])
})

test("a message with NULs, of any length, is kept, without secrets", async () => {
  const message = `a\0b password=hunter2 at https://node.example/key123 ${"x ".repeat(5_000)}`
  await recordError(database, "app", { ...fault, error: new Error(message) })
  const [stored] = await listErrors(database, "app")
  expect(stored!.message).toMatch(/^a\ufffdb password=\*\*\* at https:\/\/node.example\/… x/)
  expect(stored!.message.length).toBeLessThan(2_100)
})
