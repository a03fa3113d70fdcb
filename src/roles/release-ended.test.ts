import { describe, expect, test } from "vitest"
import type { Lease, ReleaseRequest } from "../coordination/lease-store.js"
import { silentLogger } from "../platform/logger.js"
import type { Queryable } from "../postgres/transaction.js"
import { type EndedThread, releaseEnded } from "./release-ended.js"

const range = { from: 10, to: 20 }
const leases = ["one", "two"].map((worker) => ({ worker, range, attempt: 1 }) as unknown as Lease)

async function end(thread: Partial<EndedThread>) {
  const released: [worker: string, ReleaseRequest][] = []
  const recorded: unknown[] = []
  const deps = {
    leases: {
      release: async ({ worker }: Lease, request: ReleaseRequest) => {
        released.push([worker, request])
        return true
      },
    },
    database: {
      // worker, height, transaction, hash, message, whether it is a bug
      query: async (_sql: string, params: readonly unknown[]) => {
        recorded.push([params[0], params[1], params[4], params[5]])
        return { rows: [] }
      },
    } as unknown as Queryable,
    logger: silentLogger,
  }
  const isFound = await releaseEnded(deps, { schema: "app", memoryMb: 64, leases, failure: undefined, ...thread })
  return { isFound, released, recorded }
}

describe("a work thread that ended", () => {
  test("outside of any extract met a bug: all its leases are released as such, with a FATAL error each", async () => {
    const { isFound, released, recorded } = await end({ failure: new TypeError("x is not a function") })
    const bug = (worker: string) => ({
      cause: "bug",
      error: { code: "BUG", message: `${worker} x is not a function` },
    })
    expect(isFound).toBe(false)
    expect(released).toEqual([
      ["one", bug("one")],
      ["two", bug("two")],
    ])
    expect(recorded).toEqual([
      ["one", 10, "x is not a function", true],
      ["two", 10, "x is not a function", true],
    ])
  })

  test("in an extract is charged to that worker and block alone", async () => {
    const { isFound, released, recorded } = await end({
      extracting: { worker: "two", height: 13, isBuiltIn: false },
      overdueMs: 1_000,
    })
    expect(isFound).toBe(true)
    expect(released).toMatchObject([
      ["one", { cause: "withdrawn" }],
      ["two", { cause: "failure", error: { code: "WORKER_FAILED" }, height: 13 }],
    ])
    expect(recorded).toEqual([["two", 13, "two did not return within 1000 ms", false]])
  })

  test("in an extract of a built-in worker met a bug of ours at that block", async () => {
    const { isFound, released, recorded } = await end({
      extracting: { worker: "two", height: 13, isBuiltIn: true },
      overdueMs: 1_000,
    })
    expect(isFound).toBe(true)
    expect(released).toMatchObject([
      ["one", { cause: "withdrawn" }],
      ["two", { cause: "bug", error: { code: "BUG" }, height: 13 }],
    ])
    expect(recorded).toEqual([["two", 13, "two did not return within 1000 ms", true]])
  })
})
