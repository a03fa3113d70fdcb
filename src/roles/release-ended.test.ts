import { describe, expect, test } from "vitest"
import type { Lease, ReleaseRequest } from "../coordination/lease-store.js"
import { silentLogger } from "../platform/logger.js"
import type { Queryable } from "../postgres/transaction.js"
import { type ReleaseEndedDeps, releaseEnded } from "./release-ended.js"

const range = { from: 10, to: 20 }
const leases = ["one", "two"].map((workerType) => ({ workerType, range, attempt: 1 }) as unknown as Lease)

async function end(thread: Partial<Parameters<typeof releaseEnded>[1]>) {
  const released: [worker: string, ReleaseRequest][] = []
  const recorded: unknown[] = []
  const deps = {
    registry: { workers: [{ name: "one" }, { name: "two" }] },
    leases: {
      release: async ({ workerType }: Lease, request: ReleaseRequest) => {
        released.push([workerType, request])
        return true
      },
    },
    app: {
      // worker, height, transaction, hash, message, whether it is a bug
      query: async (_sql: string, params: readonly unknown[]) => {
        recorded.push([params[0], params[1], params[4], params[5]])
        return { rows: [] }
      },
    } as unknown as Queryable,
    logger: silentLogger,
    deadlineMs: 1_000,
    memoryMb: 64,
  } as unknown as ReleaseEndedDeps
  const isFound = await releaseEnded(deps, { busy: undefined, overdue: false, leases, failure: undefined, ...thread })
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
    const { isFound, released, recorded } = await end({ busy: { sequence: 1, worker: 1, height: 13 }, overdue: true })
    expect(isFound).toBe(true)
    expect(released).toMatchObject([
      ["one", { cause: "withdrawn" }],
      ["two", { cause: "failure", error: { code: "WORKER_FAILED" }, height: 13 }],
    ])
    expect(recorded).toEqual([["two", 13, "two did not return within 1000 ms", false]])
  })
})
