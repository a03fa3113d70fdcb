import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest"
import { insertChain, insertCoverage, insertLease } from "../../test/support/coordination-rows.js"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { systemClock } from "../platform/clock.js"
import { systemRandom } from "../platform/random.js"
import { Connection } from "../postgres/connection.js"
import { Database } from "../postgres/database.js"
import type { CliIo } from "./cli-io.js"
import { main } from "./main.js"

let made: TestDatabase
let database: Database
let cwd: string

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "tidemark-cli-"))
  made = await createTestDatabase()
  database = new Database({ url: made.url, applicationName: "test" })
})
afterAll(async () => {
  await database.end()
  await made.drop()
  await rm(cwd, { recursive: true })
})

beforeEach(async () => {
  await database.query(
    "truncate raw.chain_state, raw.coverage, raw.worker_leases, raw.processes, raw.audit_log",
  )
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

async function run(argv: readonly string[], over: Partial<CliIo> = {}) {
  let out = ""
  let err = ""
  const code = await main(argv, {
    cwd,
    env: { DB_RAW_URL: made.url, TIDEMARK_DIR: join(cwd, ".tidemark") },
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    clock: systemClock,
    random: systemRandom,
    signal: new AbortController().signal,
    actor: "ann@harbour",
    ask: undefined,
    ...over,
  })
  return { code, out, err }
}

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
    ["start", "--help"],
    ["help", "status"],
  ]) {
    test(`${argv.join(" ")} explains itself`, async () => {
      const { code, out } = await run(argv)
      expect(code).toBe(0)
      expect(out).toContain("Usage: tidemark")
    })
  }

  for (const name of ["init", "verify", "repair", "rollback", "workers", "wallets", "relay", "bench"]) {
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
    for (const argv of [["status"], ["leases", "list"], ["leases", "retry", "--height", "1"], ["migrate"]]) {
      const { code, err } = await run(argv, nowhere)
      expect(code).toBe(1)
      expect(err).toMatch(/^error NOT_RUNNING: .*tidemark start/)
    }
  })

  test("a database that is away is DATABASE_UNREACHABLE, without its password", async () => {
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
    const names = [
      "tidemark_cli_one_raw",
      "tidemark_cli_one_app",
      "tidemark_cli_two_raw",
      "tidemark_cli_two_app",
    ]
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
      expect(JSON.parse(out).chains.map(({ chain }: { chain: string }) => chain)).toEqual([
        "cli-one",
        "cli-two",
      ])
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
      /^error NOT_FOUND: .*not DEAD/,
    )
  })

  test("retry and skip need to be told what", async () => {
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
