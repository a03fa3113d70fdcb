import { describe, expect, test } from "vitest"
import {
  sampleDeadLease,
  sampleDerived,
  sampleDone,
  sampleGraph,
  sampleGraphWith,
  sampleLease,
  sampleProcess,
  sampleProvider,
  sampleStatus,
} from "../../test/support/status-sample.js"
import type { StoredError } from "../indexing-errors/list-errors.js"
import type { ChainStatus } from "../status/chain-status.js"
import { diagnose } from "../status/diagnose.js"
import { progressLine } from "./progress-line.js"
import { renderErrors } from "./render-errors.js"
import { renderLeases } from "./render-leases.js"
import { renderStatus } from "./render-status.js"
import { renderWorkers } from "./render-workers.js"

const busy = sampleStatus(
  {
    processes: [
      sampleProcess(),
      sampleProcess(
        { host: "quay", pid: 77, roles: ["ingest"], httpUrl: "http://127.0.0.1:40123", upMs: 95_000 },
        { followsHead: false },
      ),
    ],
    providers: [
      sampleProvider(),
      sampleProvider({
        label: "eth.example.org",
        state: "open",
        lastError: "connect ECONNREFUSED",
        lastErrorAtMs: 1_699_999_988_000,
      }),
    ],
  },
  { leases: [sampleLease(), sampleLease({ id: "4", range: { from: 700, to: 750 } }), sampleDeadLease(900)] },
)
const doctor = (status: ChainStatus) => diagnose(status, { stallAfterMs: 60_000 })
const render = (status: ChainStatus, columns = 80, colour = false) =>
  renderStatus(status, doctor(status), { columns, colour })
const plain = (text: string) => text.replace(/\u001b\[\d+m/g, "")

describe("renderStatus", () => {
  test("history half done, one node away, one dead block, in 80 columns", () => {
    expect(render(busy)).toMatchSnapshot()
  })

  test("everything done", () => {
    expect(render(sampleStatus({ percent: 100, etaMs: 0 }, sampleDone))).toMatchSnapshot()
  })

  test("what a chain's blocks cannot be checked for, and what is not known of its room", () => {
    const store = { rawBytes: 1, appBytes: null, freeBytes: null, secondsPerBlock: null }
    const text = render(sampleStatus({ unchecked: ['the check "gas"'], store, daysToFull: null }))
    expect(text).toMatch(/^ unchecked {3}the check "gas"$/m)
    expect(text).toContain("room        DB_CAPACITY_BYTES not set")
    expect(render(sampleStatus())).toContain("room        429 GB, full in 37 days")
    expect(render(sampleStatus({ daysToFull: 0.5 }))).toContain("full in 12 h")
    expect(render(sampleStatus({ daysToFull: null }))).toContain("429 GB free")
  })

  test("a chain that was never started", () => {
    const none = { head: null, lag: null, watermark: null, storedHead: null, finalized: null, liveFrom: null }
    expect(
      render(
        sampleStatus({
          ...none,
          chainId: null,
          headAgeMs: null,
          follower: null,
          followerAgeMs: null,
          percent: 0,
          etaMs: null,
          workers: [],
          processes: [],
          providers: [],
          store: { rawBytes: null, appBytes: null, freeBytes: null, secondsPerBlock: null },
        }),
      ),
    ).toMatchSnapshot()
  })

  test("no line is wider than the terminal, at any width", () => {
    const long = sampleStatus({
      ...busy,
      head: 9_007_199_254_740_000,
      follower: "a-very-long-host-name.in.a.very.long.domain.example.org:123456:0",
      providers: [sampleProvider({ lastError: "x".repeat(500) })],
    })
    for (const columns of [60, 72, 80, 100, 120, 200]) {
      for (const line of plain(render(long, columns, true)).split("\n")) {
        expect(line.length, line).toBeLessThanOrEqual(Math.min(columns, 120))
      }
    }
  })

  test("colours change nothing but the colour", () => {
    expect(render(busy, 80, true)).not.toBe(render(busy, 80, false))
    expect(plain(render(busy, 80, true)).replace(/ +$/gm, "")).toBe(render(busy, 80, false))
  })

  test("a hostile node cannot write to the terminal", () => {
    const evil = sampleStatus(
      {
        follower: "\u001b[2Jx",
        providers: [sampleProvider({ label: "a\u001b]0;t\u0007", lastError: "\u001b[31m\nnext" })],
        lastError: { code: "BUG", message: "\u001b[2J", agoMs: 1, where: "\u0007" },
      },
      { movedAgoMs: 120_000 },
    )
    expect(render(evil)).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })

  test("one missing block of a million shows in the bar", () => {
    const status = sampleStatus(
      { liveFrom: null },
      {
        head: 999_999,
        finalized: 999_990,
        coverage: [
          { from: 0, to: 500_000 },
          { from: 500_001, to: 1_000_000 },
        ],
        leases: [],
      },
    )
    expect(render(status).split("\n")[2]!.match(/▒/g)).toHaveLength(1)
  })
})

describe("workers", () => {
  const half = [{ from: 0, to: 600 }]
  const busyGraph = sampleDerived(
    sampleStatus({ percent: 100, etaMs: 0 }, sampleDone),
    sampleGraphWith({
      token_worker: { coverage: half, paused: "a wrong decoder", concurrency: 2 },
      ft_holdings_worker: { coverage: half },
      nft_ownership_worker: { coverage: half },
      stats_worker: { coverage: half },
      token_metadata_worker: { coverage: half },
      tx_contracts_worker: { coverage: half },
      whale_transfers: { coverage: half },
      meta_worker: {
        coverage: [
          { from: 0, to: 700 },
          { from: 701, to: 1_200 },
        ],
        leases: [sampleDeadLease(700)],
        errors: 3,
      },
      accounts_worker: {
        coverage: [
          { from: 0, to: 700 },
          { from: 701, to: 1_200 },
        ],
      },
    }),
  )
  const atHead = sampleDerived(sampleStatus({ percent: 100, etaMs: 0 }, sampleDone), sampleGraph)

  test("eleven workers at the head take a line for each layer, in 80 columns", () => {
    expect(render(atHead)).toMatchSnapshot()
  })

  test.each([80, 120])("a paused worker, a dead block and those that wait stand out, in %i columns", (columns) => {
    expect(render(busyGraph, columns)).toMatchSnapshot()
    for (const line of plain(render(busyGraph, columns, true)).split("\n")) {
      expect(line.length, line).toBeLessThanOrEqual(columns)
    }
  })

  test("the list draws the graph from raw, each worker once", () => {
    const text = renderWorkers(busyGraph, { columns: 80, colour: false })
    expect(text).toMatchSnapshot()
    expect(plain(renderWorkers(busyGraph, { columns: 80, colour: true }))).toBe(text)
    for (const { name } of sampleGraph)
      expect(text.split("\n").filter((line) => new RegExp(`─ ${name} `).test(line))).toHaveLength(1)
  })

  test("what is stored and not derived yet shows in the bar", () => {
    expect(render(busyGraph).split("\n")[2]).toMatch(/^ █+✗?▓+/)
  })

  test("derived progress is on the line of start", () => {
    const line = progressLine(busyGraph, doctor(busyGraph), { columns: 120, colour: false })
    expect(line).toContain("100 %  derived 50.00 %")
  })
})

describe("renderErrors", () => {
  test("errors have their worker, block and message, and cannot write to the terminal", () => {
    const at = new Date("2026-01-02T03:04:05.678Z")
    const error: StoredError = {
      worker: "token_worker",
      height: 1_234,
      transactionId: null,
      message: "a row that does not fit\u001b[2J",
      severity: "FATAL",
      resolved: false,
      seen: 3,
      rawData: null,
      rawRef: null,
      createdAt: at,
      updatedAt: at,
    }
    const open = new Map([
      ["token_worker", 1],
      ["meta_worker", 12],
    ])
    const text = renderErrors({ chain: "demo", open, errors: [error] }, { columns: 80, colour: false })
    expect(text).toMatchSnapshot()
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })
})

describe("progressLine", () => {
  test("what matters most stays when there is little room, and it never fills the line", () => {
    const ok = doctor(sampleStatus())
    const lines = [120, 80, 60, 40, 20, 8].map((columns) => progressLine(busy, ok, { columns, colour: false }))
    expect(lines).toMatchSnapshot()
    for (const [i, columns] of [120, 80, 60, 40, 20, 8].entries()) {
      expect(lines[i]!.length).toBeLessThan(columns)
    }
  })

  test("a stall is on the line", () => {
    const status = sampleStatus({ processes: [] })
    expect(progressLine(status, doctor(status), { columns: 100, colour: false })).toContain("stalled NO_PROCESS")
  })
})

describe("renderLeases", () => {
  test("each lease has its state, range, holder and error", () => {
    const leases = [
      sampleLease(),
      sampleLease({
        status: "FAILED",
        range: { from: 700, to: 750 },
        nextAttemptInMs: 4_000,
        lastError: "slow\u001b[2J",
        lastErrorCode: "RPC_TIMEOUT",
      }),
      sampleDeadLease(900),
    ]
    const text = renderLeases({ chain: "demo", leases }, { columns: 80, colour: false })
    expect(text).toMatchSnapshot()
    expect(renderLeases({ chain: "demo", leases: [] }, { columns: 80, colour: false })).toContain("nothing is leased")
  })
})
