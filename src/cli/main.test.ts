import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest"
import { insertChain, insertCoverage, insertLease } from "../../test/support/coordination-rows.js"
import { runCommand } from "../../test/support/run-command.js"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { recordError } from "../indexing-errors/record-error.js"
import { systemClock } from "../platform/clock.js"
import { IndexerError } from "../platform/errors.js"
import { Connection } from "../postgres/connection.js"
import { Database } from "../postgres/database.js"
import { int8 } from "../workers/column.js"
import { eventTable, stateTable, sum } from "../workers/define-worker.js"
import { ensureWorkerTables } from "../workers/postgres/ensure-worker-tables.js"
import type { WorkerDefinition } from "../workers/worker-definition.js"
import { WorkerRegistry } from "../workers/worker-registry.js"
import type { CliIo } from "./cli-io.js"

let made: TestDatabase
let database: Database

beforeAll(async () => {
  made = await createTestDatabase()
  database = new Database({ url: made.url, applicationName: "test" })
})
afterAll(async () => {
  await database.end()
  await made.drop()
})

beforeEach(async () => {
  await database.query(
    `truncate raw.chain_state, raw.coverage, raw.worker_leases, raw.processes, raw.audit_log, app.coverage,
       app.worker_leases, app.audit_log, app.indexing_errors, raw.indexing_errors`,
  )
  await database.query("delete from app.workers")
  await insertChain(database)
  await insertCoverage(database, { heights: "{[0,600),[1135,1200)}" })
  await insertLease(database, {
    from: 700,
    to: 701,
    status: "DEAD",
    attempt: 20,
    error: { code: "VERIFY_FAILED", message: "no", agoMs: 10 },
  })
})

const run = (argv: readonly string[], over: Partial<CliIo> = {}) =>
  runCommand(argv, { env: { DB_RAW_URL: made.url }, ...over })

const nowhere = { env: {} }
const audit = async () =>
  (await database.query<{ actor: string; action: string }>("select actor, action from raw.audit_log")).rows

describe("tidemark", () => {
  test("help is on stdout with 0; nothing at all is a usage error", async () => {
    expect(await run(["help"])).toMatchObject({ code: 0, err: "" })
    expect((await run(["help"])).out).toContain("tidemark start")
    expect(await run([])).toMatchObject({ code: 2, out: "" })
    expect((await run(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  for (const argv of [
    ["status", "--help"],
    ["leases", "retry", "--help"],
    ["migrate", "-h"],
    ["workers", "pause", "--help"],
    ["help", "errors"],
    ["verify", "--help"],
    ["repair", "--help"],
    ["start", "--help"],
    ["help", "status"],
  ]) {
    test(`${argv.join(" ")} explains itself`, async () => {
      const { code, out } = await run(argv)
      expect(code).toBe(0)
      expect(out).toContain("Usage: tidemark")
    })
  }

  for (const name of ["init", "wallets", "relay", "bench"]) {
    test(`${name} does not pretend to exist`, async () => {
      const { code, err, out } = await run([name])
      expect({ code, out }).toEqual({ code: 2, out: "" })
      expect(err).toContain(`error USAGE: \`tidemark ${name}\` does not exist yet`)
    })
  }

  test("an unknown command or flag is a usage error", async () => {
    expect((await run(["toString"])).code).toBe(2)
    expect(await run(["status", "--jsn"])).toMatchObject({ code: 2, out: "" })
    expect((await run(["status", "--jsn"])).err).toMatch(/^error USAGE: .*--jsn/)
    expect((await run(["status", "extra"])).code).toBe(2)
    expect((await run(["leases", "eat"])).code).toBe(2)
    expect((await run(["leases"])).code).toBe(2)
  })

  test("where nothing runs, every command says so and what to do", async () => {
    for (const argv of [
      ["status"],
      ["leases", "list"],
      ["leases", "retry", "--height", "1"],
      ["workers", "list"],
      ["errors", "list"],
      ["migrate"],
    ]) {
      const { code, err } = await run(argv, nowhere)
      expect(code).toBe(1)
      expect(err).toMatch(/^error NOT_RUNNING: .*tidemark start/)
    }
  })

  test("an unavailable database is DATABASE_UNREACHABLE, without its password", async () => {
    const { code, err } = await run(["status"], {
      env: { DB_RAW_URL: "postgres://user:hidden-word@127.0.0.1:1/none" },
    })
    expect(code).toBe(1)
    expect(err).toMatch(/^error DATABASE_UNREACHABLE: .*127\.0\.0\.1:1\/none/)
    expect(err).not.toContain("hidden-word")
  })
})

describe("tidemark status", () => {
  test("draws the chain, and names the dead block", async () => {
    const { code, out } = await run(["status"])
    expect(code).toBe(0)
    expect(out).toContain(" demo  chain 31337")
    expect(out).toContain("block 700")
    expect(out).toContain("NO_PROCESS")
    expect(out).not.toContain("\u001b")
  })

  test("--json has heights as text", async () => {
    const { out } = await run(["status", "--json"])
    const [chain] = JSON.parse(out).chains
    expect(chain).toMatchObject({ chain: "demo", watermark_height: "599", dead_blocks: [{ height: "700" }] })
  })

  test("--chain chooses, and an unknown one is NOT_FOUND", async () => {
    expect((await run(["status", "--chain", "demo"])).code).toBe(0)
    expect((await run(["status", "--chain", "other"])).err).toContain("error NOT_FOUND")
  })

  test("--watch goes on until it is interrupted", async () => {
    const interrupted = new AbortController()
    let written = 0
    const { code } = await run(["status", "--watch"], {
      signal: interrupted.signal,
      clock: { ...systemClock, sleep: async () => undefined },
      stdout: {
        write: () => {
          if (++written === 3) interrupted.abort()
        },
      },
    })
    expect({ code, written }).toEqual({ code: 0, written: 3 })
  })

  test("a database without a schema says how to make one, and migrate makes it", async () => {
    const empty = await createTestDatabase({ empty: true })
    const io = { env: { DB_RAW_URL: empty.url } }
    try {
      expect(await run(["status"], io)).toMatchObject({ code: 1, out: "" })
      expect((await run(["status"], io)).err).toMatch(/^error NOT_FOUND: .*tidemark migrate/)
      expect((await run(["migrate"], io)).out).toContain("raw/0001_coordination.sql")
      expect((await run(["migrate", "--json"], io)).out).toContain('"applied": []')
      expect((await run(["status"], io)).code).toBe(0)
    } finally {
      await empty.drop()
    }
  })

  test("the embedded server's chains are found through its address file, each by its name", async () => {
    const names = ["tidemark_cli_one_raw", "tidemark_cli_one_app", "tidemark_cli_two_raw", "tidemark_cli_two_app"]
    const server = new URL(inject("postgresUrl"))
    const admin = await Connection.open({ url: server.href, applicationName: "test" })
    const dataDir = await mkdtemp(join(tmpdir(), "tidemark-cli-"))
    const io = { env: { TIDEMARK_DIR: dataDir } }
    try {
      for (const name of names) await admin.query(`create database ${name}`)
      const address = {
        port: Number(server.port),
        password: decodeURIComponent(server.password),
        ownerPid: 1,
      }
      await writeFile(join(dataDir, "postgres.json"), JSON.stringify(address))
      expect((await run(["migrate"], io)).out).toContain("cli-one: applied raw/")
      const { out } = await run(["status", "--json"], io)
      expect(JSON.parse(out).chains.map(({ chain }: { chain: string }) => chain)).toEqual(["cli-one", "cli-two"])
      expect((await run(["status", "--chain", "cli-two"], io)).out).toContain("cli-two")
      expect((await run(["leases", "retry", "--height", "1"], io)).err).toMatch(
        /^error USAGE: .*cli-one, cli-two.*--chain/,
      )
    } finally {
      for (const name of names) await admin.query(`drop database if exists ${name} with (force)`)
      await admin.end()
      await rm(dataDir, { recursive: true })
    }
  })
})

describe("tidemark leases", () => {
  test("list shows what is unfinished", async () => {
    expect((await run(["leases", "list"])).out).toContain("DEAD")
    const { out } = await run(["leases", "list", "--json"])
    expect(JSON.parse(out).chains[0].leases).toMatchObject([
      { worker: "raw_ingester", from: "700", to: "701", status: "DEAD", error_code: "VERIFY_FAILED" },
    ])
    expect((await run(["leases", "list", "--worker", "other"])).out).toContain("nothing is leased")
  })

  test("retry makes the block due at once, and is audited", async () => {
    expect(await run(["leases", "retry", "--height", "700"])).toMatchObject({
      code: 0,
      out: "retried block 700 of raw_ingester\n",
    })
    expect(await audit()).toEqual([{ actor: "ann@harbour", action: "retry" }])
    const { rows } = await database.query("select status, attempt from raw.worker_leases")
    expect(rows).toEqual([{ status: "FAILED", attempt: 0 }])
  })

  test("retry --all-dead takes every dead block, also when there is none", async () => {
    await insertLease(database, { from: 710, to: 711, status: "DEAD" })
    await insertLease(database, { from: 720, to: 730, status: "FAILED", attempt: 2 })
    const { out } = await run(["leases", "retry", "--all-dead", "--json"])
    expect(JSON.parse(out).retried.map(({ height }: { height: string }) => height)).toEqual(["700", "710"])
    expect(await run(["leases", "retry", "--all-dead"])).toMatchObject({ code: 0, out: "no block is DEAD\n" })
  })

  test("a height with nothing to retry or skip is NOT_FOUND", async () => {
    expect(await run(["leases", "retry", "--height", "5"])).toMatchObject({ code: 1, out: "" })
    expect((await run(["leases", "skip", "--height", "5", "--yes"])).err).toMatch(
      /^error NOT_FOUND: raw_ingester of demo has no DEAD block to skip at block 5/,
    )
  })

  test("retry and skip need a target", async () => {
    for (const argv of [
      ["retry"],
      ["retry", "--height", "1", "--all-dead"],
      ["skip"],
      ["skip", "--height", "1.5"],
      ["skip", "--height", "-1"],
    ]) {
      expect((await run(["leases", ...argv])).code).toBe(2)
    }
  })

  test("skip asks, and takes nothing but yes", async () => {
    const questions: string[] = []
    const answering = (answer: string) => ({
      ask: async (question: string) => {
        questions.push(question)
        return answer
      },
    })
    expect((await run(["leases", "skip", "--height", "700"])).code).toBe(2)
    expect((await run(["leases", "skip", "--height", "700"], answering(""))).code).toBe(1)
    expect((await run(["leases", "skip", "--height", "700"], answering("n"))).code).toBe(1)
    expect(await audit()).toEqual([])
    expect(await run(["leases", "skip", "--height", "700"], answering("y"))).toMatchObject({
      code: 0,
      out: "skipped block 700 of raw_ingester\n",
    })
    expect(questions).toHaveLength(3)
    expect(await audit()).toEqual([{ actor: "ann@harbour", action: "skip" }])
    const { rows } = await database.query("select skipped::text from raw.coverage")
    expect(rows).toEqual([{ skipped: "{[700,701)}" }])
  })

  test("skip --yes does not ask", async () => {
    expect((await run(["leases", "skip", "--height", "700", "--yes"])).code).toBe(0)
  })
})

const notes: WorkerDefinition = {
  name: "notes_worker",
  version: 1,
  extract: () => undefined,
  tables: {
    notes: eventTable({ columns: { block_height: int8 }, key: ["block_height"], partitionBlocks: 1_000 }),
  },
}
const sums: WorkerDefinition = {
  name: "sums_worker",
  version: 1,
  dependencies: ["notes_worker"],
  tables: {
    note_sums: stateTable({
      key: { block_height: int8 },
      columns: { notes: sum(int8) },
      sources: [{ table: "notes", key: { block_height: "block_height" }, set: { notes: { literal: 1 } } }],
    }),
  },
}

const at = (height: number) => ({ from: height, to: height + 1 })

/** Two workers, one reading the other, with a DEAD block and an open error. */
async function deriving(): Promise<void> {
  await database.query("drop table if exists app.notes, app.note_sums")
  await ensureWorkerTables(
    { executor: database, ledger: testLedgers.app },
    { registry: new WorkerRegistry([notes, sums]) },
  )
  await database.query(
    `update app.coverage set heights = '{[0,500)}' where worker_type in ('notes_worker', 'sums_worker')`,
  )
  await database.query(
    `insert into app.worker_leases (worker_type, from_height, to_height, status, attempt, epoch, lease_ttl_ms, last_error, last_error_code)
     values ('notes_worker', 500, 501, 'DEAD', 20, gen_random_uuid(), 30000, 'no row', 'WORKER_FAILED')`,
  )
  await recordError(database, "app", { worker: "notes_worker", range: at(500), error: new Error("no row") })
}

const appAudit = async () =>
  (
    await database.query<{ action: string; details: Record<string, unknown> }>(
      "select action, details from app.audit_log order by id",
    )
  ).rows

describe("tidemark leases of workers that derive", () => {
  beforeEach(deriving)

  test("list shows both schemas, and --worker chooses", async () => {
    const { out } = await run(["leases", "list", "--json"])
    const names = (text: string) => JSON.parse(text).chains[0].leases.map(({ worker }: { worker: string }) => worker)
    expect(names(out)).toEqual(["raw_ingester", "notes_worker"])
    expect(names((await run(["leases", "list", "--json", "--worker", "notes_worker"])).out)).toEqual(["notes_worker"])
  })

  test("retry and skip act on the worker that is named, in its own schema", async () => {
    const missed = await run(["leases", "retry", "--height", "500"])
    expect(missed.err).toMatch(/^error NOT_FOUND: raw_ingester .*notes_worker has: name that worker/)
    expect((await run(["leases", "retry", "--height", "500", "--worker", "nobody"])).err).toMatch(
      /^error NOT_FOUND: .*no worker "nobody"; it has raw_ingester, notes_worker, sums_worker/,
    )
    expect(await run(["leases", "skip", "--height", "500", "--worker", "notes_worker", "--yes"])).toMatchObject({
      code: 0,
      out: "skipped block 500 of notes_worker\n",
    })
    expect(await appAudit()).toMatchObject([{ action: "skip", details: { worker_type: "notes_worker" } }])
    expect(await audit()).toEqual([])
    const { rows } = await database.query("select skipped::text from app.coverage where worker_type = 'notes_worker'")
    expect(rows).toEqual([{ skipped: "{[500,501)}" }])
  })

  test("retry --all-dead takes those of every worker", async () => {
    const { out } = await run(["leases", "retry", "--all-dead"])
    expect(out).toBe("retried block 700 of raw_ingester\nretried block 500 of notes_worker\n")
  })
})

describe("tidemark workers", () => {
  beforeEach(deriving)
  const stored = async (name: string) =>
    (await database.query("select paused, paused_reason, concurrency from app.workers where name = $1", [name]))
      .rows[0]

  test("list shows the graph, and --json how far each worker is", async () => {
    expect((await run(["workers", "list"])).out).toMatch(
      /raw_ingester .*\n └─ notes_worker +41\.66 % +499 .*1 dead.*\n {4}└─ sums_worker/,
    )
    const { out } = await run(["workers", "list", "--json"])
    expect(JSON.parse(out).chains[0].workers).toMatchObject([
      { worker: "raw_ingester", dependencies: [] },
      {
        worker: "notes_worker",
        dependencies: ["raw_ingester"],
        tables: ["notes"],
        watermark_height: "499",
        leases: { dead: 1 },
        open_errors: 1,
        paused: false,
      },
      { worker: "sums_worker", dependencies: ["raw_ingester", "notes_worker"] },
    ])
  })

  test("pause, resume and concurrency are stored and audited", async () => {
    expect((await run(["workers", "pause", "notes_worker", "--reason", "a look"])).code).toBe(0)
    expect(await stored("notes_worker")).toMatchObject({ paused: true, paused_reason: "a look" })
    expect((await run(["workers", "concurrency", "notes_worker", "2"])).code).toBe(0)
    expect(await stored("notes_worker")).toMatchObject({ paused: true, concurrency: 2 })
    expect((await run(["workers", "resume", "notes_worker"])).out).toBe("resumed notes_worker\n")
    expect(await stored("notes_worker")).toMatchObject({ paused: false, paused_reason: null, concurrency: 2 })
    await run(["workers", "concurrency", "notes_worker", "none"])
    expect(await stored("notes_worker")).toMatchObject({ concurrency: null })
    expect(await appAudit()).toEqual([
      { action: "pause", details: { worker_type: "notes_worker", reason: "a look" } },
      { action: "concurrency", details: { worker_type: "notes_worker", concurrency: 2 } },
      { action: "resume", details: { worker_type: "notes_worker" } },
      { action: "concurrency", details: { worker_type: "notes_worker", concurrency: null } },
    ])
  })

  test("a name that is none is NOT_FOUND with those there are, and nothing is audited", async () => {
    for (const act of [
      ["pause", "x"],
      ["resume", "x"],
      ["concurrency", "x", "1"],
      ["rederive", "x", "--yes"],
    ]) {
      const { code, err } = await run(["workers", ...act])
      expect(code).toBe(1)
      expect(err).toMatch(/^error NOT_FOUND: demo has no worker "x"; it has notes_worker, sums_worker/)
    }
    expect((await run(["workers", "pause", "raw_ingester"])).err).toMatch(
      /^error NOT_FOUND: raw_ingester does not derive/,
    )
    expect(await appAudit()).toEqual([])
  })

  test("a command line that does not say what is a usage error", async () => {
    for (const argv of [
      [],
      ["eat"],
      ["pause"],
      ["pause", "a", "b"],
      ["resume", "a", "--reason", "x"],
      ["concurrency", "a"],
      ["concurrency", "a", "0"],
      ["concurrency", "a", "many"],
    ]) {
      expect((await run(["workers", ...argv])).code).toBe(2)
    }
  })

  test("rederive asks, and drops the worker and its dependents; the next start creates them again", async () => {
    expect((await run(["workers", "rederive", "notes_worker"])).code).toBe(2)
    expect((await run(["workers", "rederive", "notes_worker"], { ask: async () => "n" })).code).toBe(1)
    expect(await stored("notes_worker")).toBeDefined()
    const { code, out } = await run(["workers", "rederive", "notes_worker"], { ask: async () => "y" })
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining("notes_worker, sums_worker"),
    })
    expect(await stored("sums_worker")).toBeUndefined()
    const { rows: leases } = await database.query("select 1 from app.worker_leases")
    expect(leases).toEqual([])
    const again = await ensureWorkerTables(
      { executor: database, ledger: testLedgers.app },
      { registry: new WorkerRegistry([notes, sums]) },
    )
    expect(again).toMatchObject({ created: ["notes", "note_sums"], idle: [] })
    expect(await appAudit()).toMatchObject([{ action: "rederive" }])
  })

  test("rederive of a dependent leaves what it reads", async () => {
    await run(["workers", "rederive", "sums_worker", "--yes"])
    expect(await stored("notes_worker")).toBeDefined()
    const { rows } = await database.query("select worker_type from app.coverage where worker_type like '%s_worker'")
    expect(rows).toEqual([{ worker_type: "notes_worker" }])
  })

  test("rederive is refused while a process derives, and nothing is changed", async () => {
    const process = (roles: string) =>
      database.query(
        `insert into raw.processes (id, host, pid, roles, version, state) values (gen_random_uuid(), 'harbour', 7, $1, '1', '{}')`,
        [roles],
      )
    await process("{ingest}")
    await process("{work}")
    const { code, err } = await run(["workers", "rederive", "notes_worker", "--yes"])
    expect(code).toBe(1)
    expect(err).toMatch(/^error STILL_RUNNING: harbour:7 derives demo/)
    expect(await stored("notes_worker")).toBeDefined()
    await database.query("update raw.processes set seen_at = clock_timestamp() - interval '16 s'")
    expect((await run(["workers", "rederive", "notes_worker", "--yes"])).code).toBe(0)
  })
})

describe("tidemark errors", () => {
  beforeEach(deriving)

  test("list has the open ones, newest first, with counts by worker", async () => {
    await recordError(database, "app", { worker: "sums_worker", range: at(507), error: new Error("later") })
    const { out } = await run(["errors", "list", "--json"])
    expect(JSON.parse(out).chains[0]).toMatchObject({
      open: { notes_worker: 1, sums_worker: 1 },
      errors: [
        { worker: "sums_worker", height: "507", severity: "WARN", message: "later", resolved: false },
        { worker: "notes_worker", height: "500", severity: "FATAL", raw_ref: "raw.blocks/500" },
      ],
    })
    expect((await run(["errors", "list", "--worker", "notes_worker"])).out).toContain("block 500")
    expect((await run(["errors", "list", "--worker", "notes_worker"])).out).not.toContain("later")
    expect(JSON.parse((await run(["errors", "list", "--json", "--limit", "1"])).out).chains[0].errors).toHaveLength(1)
  })

  test("raw's are listed and resolved with the others, each where it lies", async () => {
    const error = new IndexerError("VERIFY_FAILED", "no", {
      data: { transactionId: "0xab", rawData: "{}", rawRef: "node" },
    })
    await recordError(database, "raw", { worker: "raw_ingester", range: at(700), error })
    const { out } = await run(["errors", "list", "--json"])
    expect(JSON.parse(out).chains[0]).toMatchObject({
      open: { notes_worker: 1, raw_ingester: 1 },
      errors: [
        {
          worker: "raw_ingester",
          severity: "FATAL",
          transaction_id: "0xab",
          raw_data: "{}",
          raw_ref: "node",
        },
        { worker: "notes_worker" },
      ],
    })
    expect((await run(["errors", "list"])).out).toMatch(/FATAL raw_ingester {2}block 700 {2}0xab .*\n.*no\n.*node\n/)
    expect((await run(["status"])).out).toMatch(/errors +2 open/)
    expect((await run(["errors", "resolve", "--all"])).out).toBe(
      "resolved 1 error of raw_ingester\nresolved 1 error of notes_worker\n",
    )
    expect(await audit()).toEqual([{ actor: "ann@harbour", action: "resolve" }])
  })

  test("resolve closes them and is audited; list --all still shows them", async () => {
    expect((await run(["errors", "resolve", "--worker", "notes_worker", "--height", "1"])).out).toBe(
      "no error is open there\n",
    )
    expect((await run(["errors", "resolve", "--worker", "notes_worker"])).out).toBe(
      "resolved 1 error of notes_worker\n",
    )
    expect((await run(["errors", "list"])).out).toBe("demo  no error is open\n")
    expect((await run(["errors", "list", "--all"])).out).toContain("resolved")
    expect(await appAudit()).toEqual([{ action: "resolve", details: { errors: { notes_worker: 1 } } }])
  })

  test("resolve needs a target", async () => {
    for (const argv of [["resolve"], ["resolve", "--all", "--worker", "a"], ["list", "--limit", "0"], ["eat"], []])
      expect((await run(["errors", ...argv])).code).toBe(2)
    expect((await run(["errors", "resolve", "--worker", "nobody"])).err).toMatch(/^error NOT_FOUND: .*notes_worker/)
    expect((await run(["errors", "resolve", "--all"])).code).toBe(0)
  })
})
