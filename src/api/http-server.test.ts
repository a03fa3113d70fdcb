import { connect, createServer } from "node:net"
import { afterEach, describe, expect, test } from "vitest"
import { insertChain, insertCoverage } from "../../test/support/coordination-rows.js"
import { startPrivatePostgres } from "../../test/support/private-postgres.js"
import {
  type SampleDerived,
  sampleDerived,
  sampleDone,
  sampleProvider,
  sampleStatus,
} from "../../test/support/status-sample.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { systemClock } from "../platform/clock.js"
import { IndexerError } from "../platform/errors.js"
import { silentLogger } from "../platform/logger.js"
import { createMetrics } from "../platform/metrics.js"
import { Database } from "../postgres/database.js"
import { migrate } from "../postgres/migrate.js"
import type { ChainStatus } from "../status/chain-status.js"
import { diagnose } from "../status/diagnose.js"
import { notYetKnown } from "../status/diagnosis.js"
import { readChainStatus } from "../status/read-chain-status.js"
import type { ChainView } from "./chain-view.js"
import { type HttpServerOptions, startHttpServer } from "./http-server.js"

const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of cleanUps.splice(0).reverse()) await step()
})

async function serve(chains: readonly ChainView[], over: Partial<HttpServerOptions> = {}) {
  const server = await startHttpServer({
    host: "127.0.0.1",
    port: 0,
    anyPort: false,
    chains: () => chains,
    metrics: () => createMetrics().registry.metrics(),
    readyLagBlocks: 10,
    clock: systemClock,
    logger: silentLogger,
    ...over,
  })
  cleanUps.push(() => server.stop())
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${server.url}${path}`, init)
    const text = await response.text()
    const json = response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : undefined
    return { status: response.status, headers: response.headers, text, json }
  }
  return { server, get }
}

const view = (status: () => ChainStatus): ChainView => ({
  name: "demo",
  status: async () => status(),
  diagnosis: () => diagnose(status(), { stallAfterMs: 60_000 }),
})

function withResolvers() {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

describe("the HTTP server", () => {
  test("/health answers while the process lives, whatever the chains do", async () => {
    const { get } = await serve([
      view(() => {
        throw new IndexerError("DATABASE_UNREACHABLE", "away")
      }),
    ])
    expect(await get("/health")).toMatchObject({ status: 200, json: { status: "ok", uptime_seconds: 0 } })
  })

  test("a request that arrives during a stop is answered as before it", async () => {
    const asked = [withResolvers(), withResolvers()]
    let at = 0
    const { server } = await serve([], {
      // The first is answered when the second has come.
      metrics: async () => {
        asked[at++]!.resolve()
        await asked[1]!.promise
        return "up 1"
      },
    })
    const socket = connect(server.port, "127.0.0.1")
    let text = ""
    const statuses = () => text.match(/HTTP\/1.1 \d+/g) ?? []
    const answered = withResolvers()
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk
      if (statuses().length === 2) answered.resolve()
    })
    const request = "GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n"
    socket.write(request)
    await asked[0]!.promise
    const stopped = server.stop()
    socket.write(request)
    await answered.promise
    socket.destroy()
    await stopped
    expect(statuses()).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"])
  })

  test("/status has heights as text and the diagnosis", async () => {
    const { get } = await serve([view(() => sampleStatus())])
    const { status, json } = await get("/status")
    expect(status).toBe(200)
    expect(json.chains).toHaveLength(1)
    expect(json.chains[0]).toMatchObject({
      chain: "demo",
      head_height: "1199",
      watermark_height: "599",
      workers: [
        {
          worker: "raw_ingester",
          coverage: [
            { from: "0", to: "600" },
            { from: "1135", to: "1200" },
          ],
        },
      ],
      diagnosis: { state: "ok", cause: null },
      stale: false,
    })
  })

  test("/ready is 503 until the stored head is close to the chain's, and says why", async () => {
    let lag = 11
    const { get } = await serve([view(() => sampleStatus({ lag }))])
    const late = await get("/ready")
    expect(late).toMatchObject({
      status: 503,
      json: { ready: false, chains: [{ lag_blocks: 11, history_percent: 55.41 }] },
    })
    expect(late.json.chains[0].reason).toContain("11 blocks behind")
    lag = 10
    await systemClock.sleep(550)
    expect(await get("/ready")).toMatchObject({ status: 200, json: { ready: true } })
  })

  test("/ready?history=1 asks for the watermark too", async () => {
    const { get } = await serve([view(() => sampleStatus())])
    expect((await get("/ready")).status).toBe(200)
    expect((await get("/ready?history=0")).status).toBe(200)
    expect((await get("/ready?history=1")).status).toBe(503)
    const done = await serve([view(() => sampleStatus({}, sampleDone))])
    expect((await done.get("/ready?history=1")).status).toBe(200)
  })

  test("/ready asks every worker to be at the head, but for those a person paused and who waits for them", async () => {
    const stored = sampleStatus({}, sampleDone)
    const late = { coverage: [{ from: 0, to: 600 }] }
    const reader = { name: "ft_holdings_worker", dependencies: ["token_worker"], ...late }
    const ready = async (token: SampleDerived) => {
      const { get } = await serve([view(() => sampleDerived(stored, [token, reader, { name: "meta_worker" }]))])
      return get("/ready?history=1")
    }
    const waiting = await ready({ name: "token_worker", ...late })
    expect(waiting.status).toBe(503)
    expect(waiting.json.chains[0]).toMatchObject({
      reason: "token_worker is 600 blocks behind the head; READY_LAG_BLOCKS allows 10",
      derived_percent: 50,
      paused_workers: [],
    })
    expect(await ready({ name: "token_worker", ...late, paused: "on purpose" })).toMatchObject({
      status: 200,
      json: { chains: [{ paused_workers: ["token_worker", "ft_holdings_worker"] }] },
    })
  })

  test("/ready is 503 when the head was not reported for long, and before any chain runs", async () => {
    const { get } = await serve([view(() => sampleStatus({ headAgeMs: 61_000 }))])
    expect((await get("/ready")).status).toBe(503)
    const none = await serve([])
    expect((await none.get("/ready")).status).toBe(503)
    expect((await none.get("/status")).json).toEqual({ chains: [], starting: [] })
  })

  test("/ready is 503 while the followed head does not move, and 200 when another node is followed", async () => {
    const head = { height: 1_199, ageMs: 300_000, stillMs: 90_000, fault: "frozen", left: false } as const
    const frozen = sampleProvider({ head })
    const alone = await serve([view(() => sampleStatus({ providers: [frozen] }))])
    const answer = await alone.get("/ready")
    expect([answer.status, answer.json.chains[0].reason]).toEqual([
      503,
      "the head no longer moves: rpc.example:8545 has been at block 1199 for 90 s",
    ])
    const other = sampleProvider({ label: "b", head: { ...head, stillMs: 100, fault: null } })
    const { get } = await serve([view(() => sampleStatus({ providers: [frozen, other] }))])
    expect((await get("/ready")).status).toBe(200)
    expect((await get("/status")).json.chains[0].providers[0]).toMatchObject({
      head_height: "1199",
      head_fault: "frozen",
      still_ms: 90_000,
    })
  })

  test("a chain that is still starting is named with its reason, does not hide the others, and is not ready", async () => {
    const reason = "waiting for the node: RPC_UNREACHABLE"
    const { get } = await serve([view(() => sampleStatus())], { starting: async () => [{ name: "slow", reason }] })
    expect((await get("/status")).json).toMatchObject({
      chains: [{ chain: "demo" }],
      starting: [{ chain: "slow", reason }],
    })
    expect(await get("/ready")).toMatchObject({
      status: 503,
      json: { ready: false, chains: [{ ready: true }], starting: [{ chain: "slow", reason }] },
    })
  })

  test("/metrics is Prometheus text", async () => {
    const { get } = await serve([])
    const { status, headers, text } = await get("/metrics")
    expect(status).toBe(200)
    expect(headers.get("content-type")).toContain("text/plain")
    expect(text).toContain("# TYPE tidemark_watermark_height gauge")
  })

  test("errors have one shape, and every answer has the security headers", async () => {
    const { get } = await serve([
      view(() => {
        throw new TypeError("secret detail")
      }),
    ])
    const missing = await get("/nowhere?token=abc")
    expect(missing).toMatchObject({ status: 404, json: { error: { code: "NOT_FOUND", details: {} } } })
    expect(missing.text).not.toContain("abc")
    expect(missing.headers.get("x-content-type-options")).toBe("nosniff")
    expect(missing.headers.get("content-security-policy")).toContain("default-src 'none'")
    const bug = await get("/status")
    expect(bug).toMatchObject({ status: 500, json: { error: { code: "INTERNAL" } } })
    expect(bug.text).not.toContain("secret detail")
    const large = await get("/health", {
      method: "POST",
      body: "x".repeat(70_000),
      headers: { "content-type": "application/json" },
    })
    expect(large.status).toBeGreaterThanOrEqual(400)
    expect(large.json.error.code).toBeDefined()
    expect((await get("/")).json.routes).toContain("/status")
  })

  test("a taken port is refused with PORT_IN_USE, or left for a free one without the role serve", async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    cleanUps.push(() => new Promise((resolve) => taken.close(resolve)))
    const { port } = taken.address() as { port: number }
    await expect(serve([], { port })).rejects.toMatchObject({ code: "PORT_IN_USE" })
    const { server, get } = await serve([], { port, anyPort: true })
    expect(server.port).not.toBe(port)
    expect((await get("/health")).status).toBe(200)
  })

  test("a database that hangs does not make requests hang, and is asked once", async () => {
    let asked = 0
    const hanging: ChainView = {
      name: "demo",
      status: () => {
        asked++
        return new Promise(() => undefined)
      },
      diagnosis: () => notYetKnown,
    }
    const { get } = await serve([hanging])
    const [one, two] = await Promise.all([get("/status"), get("/ready")])
    expect(one).toMatchObject({ status: 503, json: { error: { code: "DATABASE_UNREACHABLE" } } })
    expect(two!.status).toBe(503)
    expect(asked).toBe(1)
  })

  test("while a real database is unavailable the last status is served as stale, and all is well when it is back", async () => {
    const postgres = await startPrivatePostgres()
    cleanUps.push(() => postgres.remove())
    await postgres.ensureDatabase("tide")
    const database = new Database({
      url: postgres.url("tide"),
      applicationName: "test",
      connectTimeoutMs: 3_000,
    })
    cleanUps.push(() => database.end())
    await migrate({ database, schema: "raw" })
    await insertChain(database)
    await insertCoverage(database, { heights: "{[0,1200)}" })
    const real: ChainView = {
      name: "demo",
      status: () =>
        readChainStatus({ raw: database, ledgers: testLedgers }, { name: "demo", family: { rawTables: [] } }),
      diagnosis: () => notYetKnown,
    }
    const { get } = await serve([real])
    expect((await get("/status")).json.chains[0]).toMatchObject({ watermark_height: "1199", stale: false })
    await postgres.stop("immediate")
    await systemClock.sleep(550)
    const stale = await get("/status")
    expect(stale.status).toBe(200)
    expect(stale.json.chains[0]).toMatchObject({
      watermark_height: "1199",
      stale: true,
      diagnosis: { cause: "DATABASE_UNREACHABLE" },
    })
    expect(stale.text).not.toContain(new URL(postgresUrlSafe(database)).password)
    expect((await get("/ready")).status).toBe(503)
    expect((await get("/health")).status).toBe(200)
    await postgres.start()
    await expect.poll(async () => (await get("/ready")).status).toBe(200)
  })
})

const postgresUrlSafe = ({ url }: Database): string => url.replace("postgres:", "http:")
