import { describe, expect, test } from "vitest"
import { IndexerError } from "../platform/errors.js"
import { silentLogger } from "../platform/logger.js"
import type { SqlConnection } from "../postgres/sql-connection.js"
import type { FencedCommits } from "./fenced-commits.js"
import type { Lease, LeaseStore, ReleaseRequest } from "./lease-store.js"
import { type Charge, LeasedRangeRunner, type RangeDone } from "./leased-range-runner.js"
import { WorkerFault } from "./worker-fault.js"

const range = { from: 10, to: 20 }
const never = new AbortController().signal

function stage({
  workers = ["one"],
  builtIn = [] as string[],
  uncharged = "noted" as "noted" | "withdrawn",
  attempt = 1,
  isHeld = true,
  onCharged = async (_charge: Charge): Promise<void> => undefined,
  mayConnect = (): boolean => true,
} = {}) {
  const logged: Record<string, unknown>[] = []
  const warned: string[] = []
  const released: [worker: string, ReleaseRequest][] = []
  const charged: Charge[] = []
  const connections: { closed: boolean }[] = []
  const attempts: boolean[] = []
  const held = new AbortController()
  const claimed = workers.map(
    (worker, at) =>
      ({ id: String(at), epoch: `e${at}`, worker, range, attempt, dependencies: [] }) as unknown as Lease,
  )
  const leases = {
    claimGroup: async () => claimed,
    release: async ({ worker }: Lease, request: ReleaseRequest) => {
      released.push([worker, request])
      return isHeld
    },
  } as unknown as LeaseStore & FencedCommits<SqlConnection>
  const runner = new LeasedRangeRunner({
    connect: async () => {
      attempts.push(mayConnect())
      if (!attempts.at(-1)) throw new IndexerError("DATABASE_UNREACHABLE", "unavailable")
      const connection = {
        closed: false,
        destroy() {
          this.closed = true
        },
      }
      connections.push(connection)
      return connection as unknown as SqlConnection
    },
    leasesOn: () => leases,
    keeper: { hold: () => ({ signal: held.signal, letGo: () => undefined }) },
    clock: { monotonic: () => 0 },
    logger: {
      ...silentLogger,
      debug: (_fields, message) => warned.push(message),
      warn: (_fields, message) => warned.push(message),
      error: (fields) => logged.push({ ...fields }),
    },
    builtIn: new Set(builtIn),
    holder: "test",
    rangeSize: 100,
    uncharged,
    onCharged: async (charge) => {
      charged.push(charge)
      await onCharged(charge)
    },
  })
  const claim = { members: [], regions: [range], maxBlocks: 10, ttlMs: 1_000, order: "oldest" } as const
  const run = (work: () => Promise<RangeDone<string>>, signal = never) =>
    runner.run(async () => ({ claim, work }), signal)
  return { run, held, claimed, released, charged, logged, warned, connections, attempts }
}

const failing = (error: unknown) => async (): Promise<never> => {
  throw error
}

describe("a range", () => {
  test("that is done is not given back", async () => {
    const { run, released } = stage()
    expect(await run(async () => ({ result: "rows" }))).toEqual({ kind: "done", range, result: "rows" })
    expect(released).toEqual([])
  })

  test.each([
    ["RPC_UNREACHABLE", "outage"],
    ["SEAM_MISMATCH", "rollback"],
    ["VERIFY_FAILED", "failure"],
  ] as const)("that failed with %s is given back as %s, with what was wrong", async (code, cause) => {
    const { run, released, charged } = stage()
    const error = new IndexerError(code, "no", { height: 12 })
    expect(await run(failing(error))).toMatchObject({ kind: "failed", range, cause, error })
    expect(released).toMatchObject([["one", { cause, error: { code, message: "no" } }]])
    expect(charged).toMatchObject(cause === "failure" ? [{ worker: "one", height: 12, code, error }] : [])
  })

  test.each(["noted", "withdrawn"] as const)(
    "whose lease may be over is cut off and costs no attempt, whatever was thrown meanwhile (%s)",
    async (uncharged) => {
      const { run, held, released, charged, connections } = stage({ uncharged })
      const outcome = await run(async () => {
        held.abort()
        throw new TypeError("the socket is gone")
      })
      expect(outcome).toMatchObject({ kind: "failed", cause: "outage", error: { code: "LEASE_LOST" } })
      expect(released[0]![1].cause).toBe(uncharged === "noted" ? "outage" : "withdrawn")
      expect(charged).toEqual([])
      // The cut one can never commit later; the release has another.
      expect(connections.map(({ closed }) => closed)).toEqual([true, false])
    },
  )

  test.each([
    new TypeError("undefined is not a block"),
    new IndexerError("DATABASE_ERROR", "The database rejected a statement (23505)"),
  ])("that met a bug of ours is given back as such, and reported loudly: %s", async (error) => {
    const { run, released, charged, logged } = stage()
    expect(await run(failing(error))).toMatchObject({ kind: "failed", cause: "bug", error })
    expect(released).toEqual([["one", { cause: "bug", error: { code: "BUG", message: error.message } }]])
    expect(charged).toMatchObject([{ worker: "one", code: "BUG", error }])
    expect(logged).toMatchObject([{ worker: "one", ...range, code: "BUG", error: error.message }])
  })

  test("whose lease another holder has by now had no bug when the database refused its rows", async () => {
    const { run, charged, logged } = stage({ isHeld: false })
    await run(failing(new IndexerError("DATABASE_ERROR", "The database rejected a statement (23505)")))
    expect([charged, logged]).toEqual([[], []])
    await run(failing(new TypeError("undefined is not a block")))
    expect(logged).toHaveLength(1)
  })

  test("whose error cannot be recorded is released all the same, and the log says what was lost", async () => {
    const { run, released, warned } = stage({ onCharged: () => Promise.reject(new Error("gone")) })
    await run(failing(new IndexerError("VERIFY_FAILED", "no")))
    expect(released).toHaveLength(1)
    expect(warned).toEqual(["the error of a released range could not be recorded"])
  })

  test("is given back as shutdown when the runner is to stop", async () => {
    const { run, released } = stage()
    const stopping = new AbortController()
    const outcome = await run(async () => {
      stopping.abort()
      throw new Error("aborted")
    }, stopping.signal)
    expect(outcome).toMatchObject({ kind: "failed", cause: "shutdown" })
    expect(released).toEqual([["one", { cause: "shutdown" }]])
  })
})

describe("of a group", () => {
  const group = { workers: ["one", "two"], uncharged: "withdrawn" as const }
  const fault = new WorkerFault({ worker: "two", height: 13, cause: new Error("cannot") })

  test("only the worker at fault is charged", async () => {
    const { run, released, charged } = stage(group)
    expect(await run(failing(fault))).toMatchObject({ kind: "failed", cause: "failure", error: fault })
    expect(released).toEqual([
      ["one", { cause: "withdrawn" }],
      ["two", { cause: "failure", error: { code: "WORKER_FAILED", message: "cannot" }, height: 13 }],
    ])
    expect(charged).toMatchObject([{ worker: "two", height: 13, code: "WORKER_FAILED" }])
  })

  test.each([
    ["an exception", fault],
    [
      "a row that does not fit",
      new WorkerFault({ worker: "two", cause: new IndexerError("WORKER_FAILED", "a null") }),
    ],
    ["a refused statement", new WorkerFault({ worker: "two", cause: new IndexerError("DATABASE_ERROR", "23505") })],
  ])("%s in a built-in worker is a bug of ours, in a user's worker a failure", async (_, error) => {
    const ours = stage({ ...group, builtIn: ["two"] })
    expect(await ours.run(failing(error))).toMatchObject({ kind: "failed", cause: "bug" })
    expect(ours.released.map(([worker, { cause, error }]) => [worker, cause, error?.code])).toEqual([
      ["one", "withdrawn", undefined],
      ["two", "bug", "BUG"],
    ])
    expect(ours.charged).toMatchObject([{ worker: "two", code: "BUG" }])
    expect(ours.logged).toMatchObject([{ worker: "two", code: "BUG" }])
    const users = stage(group)
    expect(await users.run(failing(error))).toMatchObject({ kind: "failed", cause: "failure" })
    expect(users.logged).toEqual([])
  })

  test("is left to the reaper as a whole once the database cannot be reached: each would wait for a connection", async () => {
    const workers = ["one", "two", "three"]
    const { run, connections, attempts, released } = stage({ workers, mayConnect: () => connections.length === 0 })
    const outcome = await run(async () => {
      connections[0]!.closed = true
      throw new IndexerError("DATABASE_UNREACHABLE", "unavailable")
    })
    expect(outcome).toMatchObject({ kind: "failed", cause: "outage" })
    expect([attempts, released]).toEqual([[true, false], []])
  })

  test("one that was tried before stays on record", async () => {
    const { run, released } = stage({ ...group, attempt: 2 })
    await run(failing(new IndexerError("DATABASE_UNREACHABLE", "gone")))
    expect(released.map(([, { cause }]) => cause)).toEqual(["shutdown", "shutdown"])
  })

  test("those that dropped out are given back, and the range failed where none is left", async () => {
    const { run, claimed, released } = stage(group)
    const [one, two] = [claimed[0]!, claimed[1]!]
    const some = await run(async () => ({ result: "rows", dropped: [{ lease: two, fault }] }))
    expect(some.kind).toBe("done")
    expect(released.map(([worker, { cause }]) => [worker, cause])).toEqual([["two", "failure"]])
    const none = await run(async () => ({ result: "", dropped: [{ lease: two, fault }, { lease: one }] }))
    expect(none).toMatchObject({ kind: "failed", cause: "failure", error: fault })
  })
})
