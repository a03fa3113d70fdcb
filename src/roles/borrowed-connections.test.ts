import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { BorrowedConnections } from "./borrowed-connections.js"

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const one = () => ({ url: database.url, applicationName: "test" })

function lenders({ spare, lanes }: { spare: number; lanes: number }) {
  const lent: boolean[] = []
  const borrowed = new BorrowedConnections({ spare, lanes, lend: async (now) => void lent.push(now) })
  return { lent, borrowed }
}

describe("borrowed connections", () => {
  test("within the spare ones disturb no lane", async () => {
    const { lent, borrowed } = lenders({ spare: 1, lanes: 2 })
    const [connection] = await borrowed.open([one()])
    await connection!.end()
    expect(lent).toEqual([])
  })

  test("beyond those come from the lanes, which continue after the last is closed", async () => {
    const { lent, borrowed } = lenders({ spare: 1, lanes: 2 })
    const [first] = await borrowed.open([one()])
    const [second, third] = await borrowed.open([one(), one()])
    expect(lent).toEqual([true])
    await second!.end()
    expect(lent).toEqual([true])
    await first!.end()
    expect(lent).toEqual([true, false])
    await third!.end()
    expect(lent).toEqual([true, false])
  })

  test("beyond all of them are waited for, in order", async () => {
    const { borrowed } = lenders({ spare: 0, lanes: 2 })
    const [first] = await borrowed.open([one()])
    const order: string[] = []
    const two = borrowed.open([one(), one()]).then((opened) => {
      order.push("two")
      return opened
    })
    const later = borrowed.open([one()]).then((opened) => {
      order.push("one")
      return opened
    })
    await first!.end()
    for (const connection of await two) await connection.end()
    for (const connection of await later) await connection.end()
    expect(order).toEqual(["two", "one"])
  })

  test("that cannot be opened are released", async () => {
    const { lent, borrowed } = lenders({ spare: 0, lanes: 2 })
    const nowhere = { url: "postgres://nobody@127.0.0.1:1/none", applicationName: "test" }
    await expect(borrowed.open([one(), nowhere])).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE" })
    await expect(borrowed.open([nowhere, one()])).rejects.toMatchObject({ code: "DATABASE_UNREACHABLE" })
    await waitUntil(async () => lent.at(-1) === false, { what: "all released" })
    for (const connection of await borrowed.open([one(), one()])) await connection.end()
  })
})
