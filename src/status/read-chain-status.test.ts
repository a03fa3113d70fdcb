import { randomUUID } from "node:crypto"
import { afterAll, beforeEach, describe, expect, test } from "vitest"
import { insertChain, insertCoverage, insertLease } from "../../test/support/coordination-rows.js"
import { sampleProcess } from "../../test/support/status-sample.js"
import { createTestDatabase } from "../../test/support/test-database.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { evmFamily } from "../families/evm/evm-family.js"
import { recordError } from "../indexing-errors/record-error.js"
import { silentLogger } from "../platform/logger.js"
import { Database } from "../postgres/database.js"
import type { SqlExecutor } from "../postgres/transaction.js"
import { ProcessReporter } from "./process-reporter.js"
import type { ProcessState } from "./process-state.js"
import { readChainStatus } from "./read-chain-status.js"
import { storeSizeReader } from "./store-size.js"

const made = await createTestDatabase()
const database = new Database({ url: made.url, applicationName: "test" })
const clock = new VirtualClock()

afterAll(async () => {
  await database.end()
  await made.drop()
})

beforeEach(async () => {
  await database.query("truncate raw.chain_state, raw.coverage, raw.worker_leases, raw.processes")
})

const read = () => readChainStatus({ raw: database, ledgers: testLedgers }, { name: "demo", family: evmFamily })

function reporter(state: Partial<ProcessState> = {}, over: { host?: string } = {}): ProcessReporter {
  return new ProcessReporter({
    database,
    clock,
    logger: silentLogger,
    id: randomUUID(),
    host: over.host ?? "harbour",
    pid: 1,
    roles: ["ingest"],
    version: "0.1.0",
    httpUrl: () => "http://127.0.0.1:1",
    state: () => ({ ...sampleProcess().state, ...state }),
  })
}

describe("readChainStatus", () => {
  test("an empty database has a status too: nothing is known yet", async () => {
    expect(await read()).toMatchObject({
      name: "demo",
      chainId: null,
      head: null,
      lag: null,
      watermark: null,
      percent: 0,
      etaMs: null,
      workers: [],
      processes: [],
    })
  })

  test("the watermark stops at the first hole, and what is leased is no gap", async () => {
    await insertChain(database)
    await insertCoverage(database, { heights: "{[0,600),[700,800),[1135,1200)}", skipped: "{[600,601)}" })
    await insertLease(database, { from: 601, to: 650, status: "ACTIVE" })
    await insertLease(database, {
      from: 800,
      to: 801,
      status: "DEAD",
      attempt: 20,
      error: { code: "VERIFY_FAILED", message: "no", agoMs: 10 },
    })
    const status = await read()
    expect(status).toMatchObject({
      chainId: "31337",
      start: 0,
      head: 1_199,
      finalized: 1_135,
      watermark: 600,
      lag: 0,
      storedHead: 1_199,
    })
    expect(status.workers).toHaveLength(1)
    expect(status.workers[0]).toMatchObject({
      worker: "raw_ingester",
      watermark: 600,
      gaps: [
        { from: 650, to: 700 },
        { from: 801, to: 1_135 },
      ],
      missing: [
        { from: 601, to: 700 },
        { from: 800, to: 1_135 },
      ],
      leases: { active: 1, failed: 0, dead: 1 },
    })
    expect(status.deadBlocks).toEqual([
      { worker: "raw_ingester", height: 800, attempts: 20, code: "VERIFY_FAILED", error: "no" },
    ])
    // 766 of 1,200.
    expect(status.percent).toBe(63.83)
  })

  test("is of one moment: what is stored while it is read is in none of its numbers", async () => {
    await insertChain(database)
    await insertCoverage(database, { heights: "{[0,600)}" })
    let statements = 0
    const busy: SqlExecutor = {
      query: (sql, params) => database.query(sql, params),
      transaction: (work, options) =>
        database.transaction(
          (tx) =>
            work({
              query: async (sql, params, settings) => {
                const answer = await tx.query<never>(sql, params, settings)
                if (statements++ === 0) await database.query("update raw.coverage set heights = '{[0,900)}'")
                return answer
              },
            }),
          options,
        ),
    }
    expect(
      await readChainStatus({ raw: busy, ledgers: testLedgers }, { name: "demo", family: evmFamily }),
    ).toMatchObject({ watermark: 599 })
    expect(statements).toBeGreaterThan(3)
    expect(await read()).toMatchObject({ watermark: 899 })
  })

  test("100 % is said of the whole only", async () => {
    await insertChain(database, { head: 999_999, finalized: 999_935 })
    await insertCoverage(database, { heights: "{[0,5),[6,1000000)}" })
    expect((await read()).percent).toBe(99.99)
    await insertCoverage(database, { heights: "{[0,1000000)}" })
    expect(await read()).toMatchObject({ percent: 100, etaMs: 0, watermark: 999_999 })
  })

  test("the lag counts from the stretch that holds finality, not from the highest height", async () => {
    await insertChain(database)
    await insertCoverage(database, { heights: "{[0,10),[1135,1150),[1190,1200)}" })
    expect(await read()).toMatchObject({ storedHead: 1_149, lag: 50 })
  })

  test("a stretch above a hole at finality does not count", async () => {
    await insertChain(database)
    await insertCoverage(database, { heights: "{[0,10),[1190,1200)}" })
    expect(await read()).toMatchObject({ storedHead: 9, lag: 1_190 })
  })

  test("where every block is final at once, the lag counts from the last stretch below", async () => {
    await insertChain(database, { finalized: 1_199 })
    await insertCoverage(database, { heights: "{[0,1190)}" })
    expect(await read()).toMatchObject({ storedHead: 1_189, lag: 10 })
  })

  test("the rate counts finished ranges of the last minute, and the ETA follows from it", async () => {
    await insertChain(database)
    await insertCoverage(database, { heights: "{[0,600),[1135,1200)}" })
    await insertLease(database, { from: 0, to: 240, status: "COMPLETED", completedAgoMs: 30_000 })
    await insertLease(database, { from: 240, to: 300, status: "COMPLETED", completedAgoMs: 2_000 })
    await insertLease(database, { from: 300, to: 600, status: "COMPLETED", completedAgoMs: 70_000 })
    const status = await read()
    expect(status.workers[0]!.blocksPerSecond).toEqual({ last10s: 6, last60s: 5 })
    expect(status.etaMs).toBe((535 / 5) * 1_000)
  })

  test("a process that came up just now is not slow for the minute before", async () => {
    await insertChain(database)
    await insertCoverage(database, { heights: "{[0,600)}" })
    await insertLease(database, { from: 0, to: 600, status: "COMPLETED", completedAgoMs: 500 })
    await reporter().runOnce()
    const { blocksPerSecond } = (await read()).workers[0]!
    expect(blocksPerSecond.last60s).toBe(600)
  })

  test("the newest error counts, of leases and processes alike, and finished work has none", async () => {
    await insertChain(database)
    await insertCoverage(database, { heights: "{}" })
    expect((await read()).lastError).toBeNull()
    await insertLease(database, {
      from: 0,
      to: 5,
      status: "FAILED",
      error: { code: "RPC_TIMEOUT", message: "old", agoMs: 60_000 },
    })
    await insertLease(database, {
      from: 5,
      to: 9,
      status: "FAILED",
      error: { code: "RPC_ERROR", message: "new", agoMs: 5_000 },
    })
    expect((await read()).lastError).toMatchObject({
      code: "RPC_ERROR",
      message: "new",
      where: "raw_ingester [5, 9)",
    })
    await reporter({
      lastFault: { code: "RPC_BAD_RESPONSE", message: "newest\u0000\ud800", atMs: Date.now() },
    }).runOnce()
    expect((await read()).lastError).toMatchObject({ code: "RPC_BAD_RESPONSE", where: "process harbour:1" })
  })

  test("processes that fell silent are dropped, and providers are merged over the others", async () => {
    await insertChain(database)
    const provider = { label: "a", lastError: null, lastErrorAtMs: null, mismatch: null }
    const first = reporter({ providers: [{ ...provider, state: "open" }], workForMs: 4_000 })
    const second = reporter({ providers: [{ ...provider, state: "closed" }] }, { host: "quay" })
    await first.runOnce()
    await second.runOnce()
    const status = await read()
    expect(status.processes.map(({ host }) => host)).toEqual(["harbour", "quay"])
    expect(status.providers).toMatchObject([{ label: "a", state: "closed", processes: 2, openIn: 1 }])
    expect(status.workForMs).toBeGreaterThanOrEqual(4_000)
    await database.query("update raw.processes set seen_at = seen_at - interval '31 s' where host = 'quay'")
    expect((await read()).providers).toMatchObject([{ label: "a", state: "open", processes: 1 }])
  })

  test("what another release wrote about itself does no harm", async () => {
    await insertChain(database)
    await database.query(
      "insert into raw.processes (id, host, pid, roles, version, state) values ($1, 'h', 1, '{ingest}', '9', $2)",
      [randomUUID(), JSON.stringify({ threads: "many", providers: [{ label: 5 }, null], lastFault: {} })],
    )
    expect((await read()).processes[0]).toMatchObject({
      host: "h",
      state: { threads: 0, providers: [], lastFault: null },
    })
  })

  test("workers of the app database are listed too, and the watermark is that of the slowest", async () => {
    await insertChain(database)
    await insertCoverage(database, { heights: "{[0,600)}" })
    await database.query("insert into app.coverage (worker_type, heights) values ('token_worker', '{[0,100)}')")
    const status = await readChainStatus(
      { raw: database, ledgers: testLedgers },
      { name: "demo", family: evmFamily, app: database },
    )
    await database.query("delete from app.coverage where worker_type = 'token_worker'")
    expect(status.workers.map(({ worker, watermark }) => [worker, watermark])).toEqual([
      ["raw_ingester", 599],
      ["token_worker", 99],
    ])
    expect(status.watermark).toBe(99)
  })

  test("what this chain's blocks cannot be checked for is listed", async () => {
    await insertChain(database)
    expect((await read()).unchecked).toEqual([])
    await database.query("update raw.chain_state set chain_id = 324")
    expect((await read()).unchecked).toEqual(expect.arrayContaining(['the check "gas"', 'the check "bloom"']))
  })

  test("the room is the capacity without what is taken, else what a process reports, else unknown", async () => {
    await insertChain(database)
    const { rawBytes } = await storeSizeReader({ raw: database }, { clock })()
    const readFree = async (capacityBytes?: number) => {
      const storeSize = storeSizeReader({ raw: database }, { clock, capacityBytes })
      const options = { name: "demo", family: evmFamily, storeSize }
      return (await readChainStatus({ raw: database, ledgers: testLedgers }, options)).store.freeBytes
    }
    expect(await readFree()).toBeNull()
    expect(await readFree(1)).toBe(0)
    const free = await readFree(rawBytes! + 1_000_000_000)
    // Other tests of this file write to the same database.
    expect(Math.abs(free! - 1_000_000_000)).toBeLessThan(1_000_000)
    await reporter({ freeBytes: 5_000 }).runOnce()
    await reporter({ freeBytes: 4_000 }, { host: "quay" }).runOnce()
    expect(await readFree()).toBe(4_000)
    const disk = await storeSizeReader({ raw: database }, { clock, directory: import.meta.dirname })()
    expect(disk.freeBytes).toBeGreaterThan(0)
  })

  test("the pace and the days to full come from the newest blocks", async () => {
    await insertChain(database, { head: 99, finalized: 99 })
    await insertCoverage(database, { heights: "{[0,100)}" })
    await database.query(
      `create table raw.blocks_days partition of raw.blocks for values from (0) to (1000);
       insert into raw.blocks (height, hash, parent_hash, timestamp, transaction_count, event_count, extra)
       select n, int8send(n), int8send(n - 1), to_timestamp(n * 12), 0, 0, null from generate_series(0, 99) as n`,
    )
    try {
      const size = await storeSizeReader({ raw: database }, { clock })()
      expect(size.secondsPerBlock).toBe(12)
      const storeSize = async () => ({ ...size, rawBytes: 109_500_000, freeBytes: 7_200_000_000 })
      const options = { name: "demo", family: evmFamily, storeSize }
      const status = await readChainStatus({ raw: database, ledgers: testLedgers }, options)
      // A hundred blocks of 1 MB each; 7,200 more, one every 12 seconds.
      expect(status.daysToFull).toBeCloseTo(1)
    } finally {
      await database.query("drop table raw.blocks_days")
    }
  })

  test("sizes are asked for once in a while only", async () => {
    let asked = 0
    const query: Database["query"] = (sql, params) => {
      asked++
      return database.query(sql, params)
    }
    const counting = { query }
    const size = storeSizeReader({ raw: counting, app: counting }, { clock, maxAgeMs: 1_000 })
    const first = await size()
    expect(first.rawBytes).toBeGreaterThan(1_000_000)
    expect(first.appBytes).toBeNull()
    await size()
    expect(asked).toBe(2)
    clock.advance(1_000)
    await size()
    expect(asked).toBe(4)
  })
})

describe("readChainStatus, workers of the app database", () => {
  beforeEach(async () => {
    await database.query("truncate app.coverage, app.indexing_errors, raw.indexing_errors")
    await database.query("delete from app.workers")
    await insertChain(database)
    await insertCoverage(database, { heights: "{[0,1000),[1135,1200)}" })
    await database.query(
      `insert into app.workers (name, version, hash, definition, dependencies, tables, paused, paused_reason)
       values ('token_worker', 1, '', '{}', '{}', '{transfers}', true, 'a look'),
         ('holdings_worker', 3, '', '{}', '{token_worker}', '{holdings}', false, null)`,
    )
    await database.query(
      `insert into app.coverage (worker_type, heights, skipped)
       values ('raw_ingester', '{[0,5)}', '{}'), ('token_worker', '{[0,599)}', '{[599,600)}'), ('holdings_worker', '{[0,500)}', '{}')`,
    )
    await recordError(database, "app", {
      worker: "token_worker",
      range: { from: 603, to: 604 },
      error: new Error("no"),
    })
    await recordError(database, "raw", {
      worker: "raw_ingester",
      range: { from: 1_003, to: 1_004 },
      error: new Error("no"),
    })
  })

  test("each has what it depends on, its settings, its errors, and what it could do now", async () => {
    const status = await readChainStatus(
      { raw: database, ledgers: testLedgers },
      { name: "demo", family: evmFamily, app: database },
    )
    expect(status).toMatchObject({ watermark: 499, openErrors: 2, derivedPercent: 41.66, percent: 88.75 })
    expect(status.workers.map(({ worker }) => worker)).toEqual(["raw_ingester", "holdings_worker", "token_worker"])
    expect(status.workers[0]).toMatchObject({ openErrors: 1 })
    expect(status.workers[1]).toMatchObject({
      dependencies: ["raw_ingester", "token_worker"],
      registration: { version: 3, paused: false, tables: ["holdings"] },
      doable: [{ from: 500, to: 600 }],
    })
    expect(status.workers[2]).toMatchObject({
      registration: { paused: true, pausedReason: "a look" },
      openErrors: 1,
      percent: 50,
      // What raw itself covers, not the copy that app keeps of it.
      doable: [
        { from: 600, to: 1_000 },
        { from: 1_135, to: 1_200 },
      ],
    })
  })

  test("a dependency that has no coverage row has done nothing", async () => {
    await database.query("delete from app.coverage where worker_type = 'token_worker'")
    const status = await readChainStatus(
      { raw: database, ledgers: testLedgers },
      { name: "demo", family: evmFamily, app: database },
    )
    expect(status.workers[1]).toMatchObject({ worker: "holdings_worker", doable: [] })
  })
})

describe("ProcessReporter", () => {
  test("a process that leaves takes its row away, and rows of a day ago are swept", async () => {
    await database.query(
      "insert into raw.processes (id, host, pid, roles, version, seen_at) values ($1, 'old', 1, '{}', '0', clock_timestamp() - interval '25 h')",
      [randomUUID()],
    )
    const one = reporter()
    await one.runOnce()
    await one.runOnce()
    const hosts = async () =>
      (await database.query<{ host: string }>("select host from raw.processes")).rows.map(({ host }) => host)
    expect(await hosts()).toEqual(["harbour"])
    await one.stop()
    expect(await hosts()).toEqual([])
  })
})
