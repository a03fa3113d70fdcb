import { expect, test } from "vitest"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { TableCatalog } from "./table-catalog.js"
import type { WorkerTableInfo } from "./worker-tables.js"

const info = (table: string): WorkerTableInfo => ({
  ...{ table, worker: "w", kind: "state", columns: [], key: [], indexes: [] },
})

function catalog(tables: WorkerTableInfo[]) {
  const clock = new VirtualClock()
  let reads = 0
  const read = async () => {
    reads++
    return [...tables]
  }
  return { clock, catalog: new TableCatalog(clock, read), reads: () => reads }
}

test("requests that come together, and those of the next two seconds, share one read", async () => {
  const { clock, catalog: known, reads } = catalog([info("a")])
  await Promise.all([known.all(), known.find("a"), known.all()])
  clock.advance(1_999)
  expect(await known.find("a")).toEqual(info("a"))
  expect(reads()).toBe(1)
  clock.advance(1)
  await known.all()
  expect(reads()).toBe(2)
})

test("a table that was just created is found, and names that nobody has are looked for four times a second", async () => {
  const tables = [info("a")]
  const { clock, catalog: known, reads } = catalog(tables)
  await known.all()
  for (let i = 0; i < 5; i++) expect(await known.find("b")).toBeUndefined()
  expect(reads()).toBe(1)
  tables.push(info("b"))
  clock.advance(250)
  expect(await known.find("b")).toEqual(info("b"))
  expect(reads()).toBe(2)
})

test("what is forgotten, or could not be read, is read again", async () => {
  const { clock, catalog: known, reads } = catalog([info("a")])
  await known.all()
  known.forget()
  await known.all()
  expect(reads()).toBe(2)
  let fails = true
  const late = new TableCatalog(clock, async () => {
    if (fails) throw new Error("away")
    return [info("a")]
  })
  await expect(late.all()).rejects.toThrow("away")
  fails = false
  expect(await late.all()).toEqual([info("a")])
})
