import { describe, expect, test } from "vitest"
import {
  sampleDeadLease,
  sampleDerived,
  sampleDone,
  sampleLease,
  sampleProcess,
  sampleProvider,
  sampleStatus,
} from "../../test/support/status-sample.js"
import type { ChainStatus, ProcessRow } from "./chain-status.js"
import { diagnose, openWork } from "./diagnose.js"
import { type StallCause, stallCauses } from "./diagnosis.js"

const options = { stallAfterMs: 60_000 }
const still = { movedAgoMs: 120_000 }
const error = (code: string): Partial<ChainStatus> => ({
  lastError: { code, message: "as it said", agoMs: 1_000, where: "raw_ingester [600, 650)" },
})

const frozen = { height: 1_199, ageMs: 300_000, stillMs: 90_000, fault: "frozen", left: false } as const

const open = { from: 900, to: null, reason: null, progress: null, failures: 0, error: null }

describe("diagnose, stalled", () => {
  const cases: readonly [StallCause, string, ChainStatus, RegExp][] = [
    ["NO_PROCESS", "no process at all", sampleStatus({ processes: [] }), /no process indexes demo/],
    [
      "NO_PROCESS",
      "only processes that do not ingest",
      sampleStatus({ processes: [sampleProcess({ roles: ["serve"] })] }),
      /no process with the role ingest/,
    ],
    [
      "DISK_LOW",
      "a paused process",
      sampleStatus({ processes: [sampleProcess({}, { paused: "disk" })] }, still),
      /nearly full.*harbour/,
    ],
    ["DISK_LOW", "a full database", sampleStatus(error("DATABASE_FULL"), still), /no room left/],
    [
      "NODE_WRONG_CHAIN",
      "a provider of another chain",
      sampleStatus({ providers: [sampleProvider({ state: "open", mismatch: "5" })] }, still),
      /rpc\.example:8545 serves chain 5, but demo is chain 31337/,
    ],
    ["NODE_WRONG_CHAIN", "a refused chain", sampleStatus(error("CHAIN_MISMATCH"), still), /as it said/],
    [
      "NODE_UNREACHABLE",
      "every provider away",
      sampleStatus({ providers: [sampleProvider({ state: "open", lastError: "refused" })] }, still),
      /rpc\.example:8545\) does not answer: refused/,
    ],
    [
      "NODE_UNREACHABLE",
      "two providers away",
      sampleStatus(
        { providers: [sampleProvider({ state: "open" }), sampleProvider({ label: "b", state: "open" })] },
        still,
      ),
      /none of the 2 nodes of demo \(rpc\.example:8545, b\) answers/,
    ],
    [
      "NODE_FROZEN",
      "a single node that does not move, while nothing else is left to do",
      sampleStatus({ providers: [sampleProvider({ head: frozen })] }, sampleDone),
      /rpc\.example:8545 has not moved from block 1199 for 90 s, and that block is 300 s old/,
    ],
    ["NODE_UNREACHABLE", "timeouts", sampleStatus(error("RPC_TIMEOUT"), still), /as it said \(RPC_TIMEOUT/],
    ["RATE_LIMITED", "refused requests", sampleStatus(error("RPC_RATE_LIMITED"), still), /more requests/],
    [
      "RATE_LIMITED",
      "refused requests that opened the breaker",
      sampleStatus({ ...error("RPC_RATE_LIMITED"), providers: [sampleProvider({ state: "open" })] }, still),
      /more requests/,
    ],
    ["NODE_LYING", "a failed check", sampleStatus(error("VERIFY_FAILED"), still), /fail verification/],
    ["NODE_LYING", "nonsense", sampleStatus(error("RPC_BAD_RESPONSE"), still), /fail verification/],
    ["NODE_BEHIND", "a missing block", sampleStatus(error("RPC_BLOCK_MISSING"), still), /does not have/],
    [
      "NODE_BEHIND",
      "a head below what is stored",
      sampleStatus({ storedHead: 1_300, headAgeMs: 90_000, workers: [] }),
      /head is 1199, below block 1300/,
    ],
    ["PARENT_MISMATCH", "a parent that differs", sampleStatus(error("PARENT_MISMATCH"), still), /reorganised/],
    ["PARENT_MISMATCH", "a seam that differs", sampleStatus(error("SEAM_MISMATCH"), still), /reorganised/],
    ["REORG_HALT", "a halt", sampleStatus({ halt: "too deep" }, still), /too deep/],
    ["ROLLBACK_RUNNING", "an open rollback", sampleStatus({ rollback: open }, still), /from block 900 on is recorded/],
    [
      "ROLLBACK_RUNNING",
      "a rollback under way, at the pace of its step",
      sampleStatus(
        { rollback: { ...open, progress: { step: "app", done: 250, total: 1_000, etaMs: 90_000 } } },
        still,
      ),
      /is under way: derived rows 25 % of 1000 blocks, about 90 s left/,
    ],
    [
      "ROLLBACK_FAILING",
      "a rollback that keeps failing",
      sampleStatus(
        { rollback: { ...open, failures: 3, error: { code: "FOLD_DAMAGED", message: "a row of t" } } },
        still,
      ),
      /the rollback from block 900 on fails \(3 times so far\): a row of t \(FOLD_DAMAGED\)/,
    ],
    [
      "DATABASE_UNREACHABLE",
      "writers without a connection",
      sampleStatus(error("DATABASE_UNREACHABLE"), still),
      /cannot write/,
    ],
    [
      "DEAD_BLOCK",
      "a dead block under everything else",
      sampleStatus({}, { ...still, leases: [sampleDeadLease(600)] }),
      /block 600 of raw_ingester is DEAD after 20 attempts: VERIFY_FAILED/,
    ],
    [
      "DEAD_BLOCK",
      "several dead blocks, which need not be of one worker",
      sampleStatus({}, { ...still, leases: [sampleDeadLease(600), sampleDeadLease(601)] }),
      /block 60[01] of raw_ingester and 1 more is DEAD after 20 attempts/,
    ],
    [
      "LEASE_STUCK",
      "a lease that is not reaped",
      sampleStatus({}, { ...still, leases: [sampleLease({ expiresInMs: -40_000, leasedForMs: 70_000 })] }),
      /\[600, 650\) has been held by harbour:4242:0 for 70 s.*expired/,
    ],
    [
      "LEASE_STUCK",
      "a holder that renews and does nothing",
      sampleStatus({}, { ...still, leases: [sampleLease({ expiresInMs: 20_000, leasedForMs: 90_000 })] }),
      /for 90 s and is not done$/,
    ],
    [
      "NO_FOLLOWER",
      "a head that no process reads",
      sampleStatus({ headAgeMs: 90_000, followerAgeMs: 90_000 }),
      /no process follows the head of demo; harbour:4242:0 did until 90 s ago/,
    ],
    [
      "WORKER_STUCK",
      "a worker that fails while all blocks are stored",
      sampleDerived(sampleStatus({}, { ...sampleDone, ...still }), [
        {
          name: "token_worker",
          coverage: [{ from: 0, to: 600 }],
          ...still,
          leases: [sampleLease({ status: "FAILED", lastErrorCode: "WORKER_FAILED", lastError: "no row" })],
        },
        {
          name: "ft_holdings_worker",
          dependencies: ["token_worker"],
          coverage: [{ from: 0, to: 600 }],
          ...still,
        },
      ]),
      /token_worker has 600 blocks to derive and has not moved for 120 s: WORKER_FAILED, no row; ft_holdings_worker waits for it/,
    ],
    ["UNKNOWN", "no trace", sampleStatus({}, still), /no error was recorded/],
    ["UNKNOWN", "a bug", sampleStatus(error("BUG"), still), /as it said \(BUG/],
  ]

  for (const [cause, what, status, message] of cases) {
    test(`${what} is ${cause}`, () => {
      const diagnosis = diagnose(status, options)
      expect(diagnosis).toMatchObject({ state: "stalled", cause })
      expect(diagnosis.message).toMatch(message)
      expect(diagnosis.todo).not.toBeNull()
    })
  }

  test("every cause is in the table", () => {
    const causes = new Set(cases.map(([cause]) => cause))
    // Paused on purpose is never a stall.
    expect([...causes, "WORKER_PAUSED"].sort()).toEqual([...stallCauses].sort())
  })

  test("a head that is not reported for long is a stall, also when all known blocks are stored", () => {
    const providers = [sampleProvider({ state: "open" })]
    const status = sampleStatus({ headAgeMs: 61_000, providers, workForMs: null }, { ...sampleDone, ...still })
    expect(diagnose(status, options)).toMatchObject({ state: "stalled", cause: "NODE_UNREACHABLE" })
  })
})

describe("diagnose, workers", () => {
  const half = { coverage: [{ from: 0, to: 600 }], ...still }
  const done = sampleStatus({}, { ...sampleDone, ...still })
  const reads = { name: "ft_holdings_worker", dependencies: ["token_worker"] }

  test("a chain whose worker is paused on purpose is not stalled, and the worker is named with who waits", () => {
    const status = sampleDerived(done, [
      { name: "token_worker", ...half, paused: "for a look" },
      { ...reads, ...half },
    ])
    const diagnosis = diagnose(status, options)
    expect(diagnosis).toMatchObject({ state: "degraded", cause: "WORKER_PAUSED" })
    expect(diagnosis.message).toBe("token_worker is paused by a person (for a look); ft_holdings_worker waits for it")
    expect(diagnosis.todo).toContain("tidemark workers resume token_worker")
  })

  test("one that only waits for another has no work of its own", () => {
    const status = sampleDerived(done, [
      { name: "token_worker", ...half, paused: "" },
      { ...reads, ...half },
    ])
    expect(openWork(status)).toBe(0)
    expect(
      openWork(
        sampleDerived(done, [
          { name: "token_worker", ...half },
          { ...reads, ...half },
        ]),
      ),
    ).toBe(600)
  })

  test("a dead block of a worker is named with the worker, and its dependents do not count as work", () => {
    const hole = [
      { from: 0, to: 600 },
      { from: 601, to: 1_200 },
    ]
    const status = sampleDerived(done, [
      { name: "token_worker", ...still, coverage: hole, leases: [sampleDeadLease(600)] },
      { ...reads, ...still, coverage: hole },
    ])
    const diagnosis = diagnose(status, options)
    expect(diagnosis).toMatchObject({ state: "degraded", cause: "DEAD_BLOCK" })
    expect(diagnosis.message).toContain("block 600 of token_worker is DEAD")
    expect(diagnosis.todo).toContain("--height 600 --worker token_worker")
    expect(openWork(status)).toBe(0)
  })

  test("a worker that stands still while blocks are stored is a worry, one that is held or moves is not", () => {
    const moving = sampleStatus({}, sampleDone)
    const stuck = sampleDerived(moving, [{ name: "token_worker", ...half }])
    expect(diagnose(stuck, options)).toMatchObject({ state: "degraded", cause: "WORKER_STUCK" })
    for (const better of [{ leases: [sampleLease()] }, { movedAgoMs: 400 }]) {
      const status = sampleDerived(moving, [{ name: "token_worker", ...half, ...better }])
      expect(diagnose(status, options).state).toBe("ok")
    }
    // A block a moment old is no backlog, however long ago the one before it was derived.
    expect(diagnose(stuck, { ...options, workForMs: 300 }).state).toBe("ok")
  })

  test("a worker that no process may run says why, unless another process runs it", () => {
    const message = "worker token_worker is declared as version 2, but its tables hold version 1"
    const idle = sampleProcess({}, { idleWorkers: [{ worker: "token_worker", message }] })
    const derived = (processes: readonly ProcessRow[]) =>
      sampleDerived(sampleStatus({ processes }, sampleDone), [{ name: "token_worker", ...half, movedAgoMs: 400 }])
    expect(diagnose(derived([idle]), options)).toMatchObject({
      state: "degraded",
      cause: "WORKER_STUCK",
      message,
    })
    expect(diagnose(derived([idle, sampleProcess()]), options).state).toBe("ok")
  })

  test("workers that no process runs are named, though blocks are stored", () => {
    const processes = [sampleProcess({ roles: ["ingest"] })]
    const status = sampleDerived(sampleStatus({ processes }, sampleDone), [{ name: "token_worker", ...half }])
    const diagnosis = diagnose(status, options)
    expect(diagnosis).toMatchObject({ state: "degraded", cause: "NO_PROCESS" })
    expect(diagnosis.message).toMatch(/role work.*token_worker cannot continue/)
  })
})

describe("diagnose, not stalled", () => {
  test("progress is ok, whatever a provider said a while ago", () => {
    expect(diagnose(sampleStatus(error("RPC_TIMEOUT")), options)).toMatchObject({ state: "ok", cause: null })
  })

  test("a slow chain is not stalled in the moment its next block appears", () => {
    const work = { head: 1_200, coverage: [{ from: 0, to: 1_200 }], leases: [], movedAgoMs: 3_600_000 }
    expect(diagnose(sampleStatus({ workForMs: 200 }, work), options).state).toBe("ok")
    expect(diagnose(sampleStatus({ workForMs: 61_000 }, work), options).state).toBe("stalled")
    expect(diagnose(sampleStatus({ workForMs: 61_000 }, work), { ...options, workForMs: 200 }).state).toBe("ok")
  })

  test("a quiet chain whose blocks are all stored is ok", () => {
    const status = sampleStatus({ workForMs: null }, { ...sampleDone, movedAgoMs: 86_400_000 })
    expect(diagnose(status, options)).toMatchObject({ state: "ok", cause: null })
  })

  test("a process that came up a moment ago is starting, however old the last block is", () => {
    const status = sampleStatus(
      {
        processes: [sampleProcess({ upMs: 5_000 })],
        headAgeMs: 86_400_000,
        followerAgeMs: 86_400_000,
        workForMs: 4_000,
      },
      { movedAgoMs: 86_400_000 },
    )
    expect(diagnose(status, options)).toMatchObject({ state: "starting", cause: null })
  })

  test("a dead block is named at once, while all else moves", () => {
    const status = sampleStatus({}, { leases: [sampleLease(), sampleDeadLease(700)] })
    expect(diagnose(status, options)).toMatchObject({ state: "degraded", cause: "DEAD_BLOCK" })
  })

  test("a dead block is no stall by itself: it waits for a person", () => {
    const coverage = [
      { from: 0, to: 600 },
      { from: 601, to: 1_200 },
    ]
    const status = sampleStatus({}, { coverage, leases: [sampleDeadLease(600)], movedAgoMs: 86_400_000 })
    expect(diagnose(status, options)).toMatchObject({ state: "degraded", cause: "DEAD_BLOCK" })
  })

  const worries: readonly [StallCause, string, ChainStatus][] = [
    [
      "NODE_WRONG_CHAIN",
      "one provider of another chain",
      sampleStatus({ providers: [sampleProvider(), sampleProvider({ label: "b", mismatch: "5" })] }),
    ],
    ["NODE_LYING", "a fresh failed check", sampleStatus(error("VERIFY_FAILED"))],
    ["PARENT_MISMATCH", "a refused seam", sampleStatus(error("SEAM_MISMATCH"))],
    [
      "DISK_LOW",
      "one paused process",
      sampleStatus({ processes: [sampleProcess(), sampleProcess({}, { paused: "disk" })] }),
    ],
    ["NODE_BEHIND", "a node below the store", sampleStatus({ storedHead: 1_300 })],
    [
      "NODE_FROZEN",
      "a frozen node that was left",
      sampleStatus({
        providers: [
          sampleProvider({ head: { ...frozen, left: true } }),
          sampleProvider({ label: "b", head: { ...frozen, stillMs: 0, fault: null } }),
        ],
      }),
    ],
    ["NODE_FROZEN", "a frozen node beside history", sampleStatus({ providers: [sampleProvider({ head: frozen })] })],
    [
      "NODE_BEHIND",
      "a node that lags and was left",
      sampleStatus({ providers: [sampleProvider({ head: { ...frozen, fault: "behind", left: true } })] }),
    ],
    ["NO_FOLLOWER", "history without a head", sampleStatus({ followerAgeMs: 40_000, headAgeMs: 40_000 })],
    [
      "NODE_UNREACHABLE",
      "nodes that went away just now",
      sampleStatus({ providers: [sampleProvider({ state: "open" })] }),
    ],
  ]
  for (const [cause, what, status] of worries) {
    test(`${what} is a worry: ${cause}`, () => {
      expect(diagnose(status, options)).toMatchObject({ state: "degraded", cause })
    })
  }
})
