import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { rangeSet } from "../domain/range-set.js"
import { Database } from "./database.js"
import { parseMultirange, parseRange, printMultirange } from "./multirange.js"

const heights = fc.integer({ min: 0, max: 200 })
const sets = fc
  .array(fc.tuple(heights, heights), { maxLength: 12 })
  .map((pairs) => rangeSet(pairs.map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))))

describe("multiranges", () => {
  let test: TestDatabase
  let database: Database
  beforeAll(async () => {
    test = await createTestDatabase({ empty: true })
    database = new Database({ url: test.url, applicationName: "test" })
  })
  afterAll(async () => {
    await database.end()
    await test.drop()
  })

  it("a set printed and parsed is the same set", () => {
    fc.assert(
      fc.property(sets, (set) => {
        expect(parseMultirange(printMultirange(set))).toEqual(set)
      }),
    )
  })

  it("the server reads and prints a set in the same way", async () => {
    await fc.assert(
      fc.asyncProperty(sets, async (set) => {
        const { rows } = await database.query<{ m: string }>("select $1::int8multirange::text as m", [
          printMultirange(set),
        ])
        expect(rows[0]!.m).toBe(printMultirange(set))
        expect(parseMultirange(rows[0]!.m)).toEqual(set)
      }),
      { numRuns: 50 },
    )
  })

  it("open ends, empty ranges and large heights are read", async () => {
    const { rows } = await database.query<{ m: string; e: string; r: string; c: string }>(
      `select '{[1,5),[7,)}'::int8multirange::text m, 'empty'::int8range::text e, '(,9)'::int8range::text r,
        '[3,9007199254740990]'::int8range::text c`,
    )
    expect(parseMultirange(rows[0]!.m)).toEqual([
      { from: 1, to: 5 },
      { from: 7, to: Number.MAX_SAFE_INTEGER },
    ])
    expect(printMultirange(parseMultirange(rows[0]!.m))).toBe("{[1,5),[7,)}")
    expect(parseRange(rows[0]!.e)).toBeUndefined()
    expect(parseRange(rows[0]!.r)).toEqual({ from: 0, to: 9 })
    expect(parseRange(rows[0]!.c)).toEqual({ from: 3, to: Number.MAX_SAFE_INTEGER })
    expect(parseMultirange("{}")).toEqual([])
  })

  it("other texts are rejected", () => {
    for (const bad of ["", "[1,2)", "{[1,2]}", "{[1,2),}", "{[a,2)}", "{[1,9007199254740993)}"]) {
      expect(() => parseMultirange(bad), bad).toThrow(RangeError)
    }
  })
})
