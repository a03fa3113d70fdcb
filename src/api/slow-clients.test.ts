import { connect, type Socket } from "node:net"
import { Registry } from "prom-client"
import { afterAll, beforeAll, expect, test } from "vitest"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { createHttpMetrics } from "../platform/metrics.js"
import { type HttpServerOptions, type RunningHttpServer, startHttpServer } from "./http-server.js"
import { declareSurface } from "./surfaces.js"

const registry = new Registry()
const httpMetrics = createHttpMetrics(registry)
let server: RunningHttpServer
let impatient: RunningHttpServer
let taken = 0

const start = (timeouts?: HttpServerOptions["timeouts"]): Promise<RunningHttpServer> =>
  startHttpServer({
    ...{ host: "127.0.0.1", port: 0, anyPort: false, chains: () => [], readyLagBlocks: 10 },
    ...{ clock: systemClock, logger: silentLogger, metrics: () => registry.metrics() },
    access: { adminToken: "token", opsIsPublic: true, apiKeys: [], trustedProxies: [] },
    httpMetrics,
    ...(timeouts ? { timeouts } : {}),
    plugin: async (app) => {
      await app.register(async (routes) => {
        declareSurface(routes, "admin")
        routes.post("/admin/take", async () => ({ taken: ++taken }))
      })
    },
  })
beforeAll(async () => {
  server = await start()
  impatient = await start({ headersMs: 200, requestMs: 400, checkMs: 50 })
})
afterAll(() => Promise.all([server.stop(), impatient.stop()]))

/** What the server answers before it closes the socket. */
function spoken(text: string, { port } = server): { readonly socket: Socket; readonly answer: Promise<string> } {
  const socket = connect(port, "127.0.0.1", () => socket.write(text))
  let heard = ""
  socket.on("data", (bytes) => {
    heard += bytes.toString()
  })
  socket.on("error", () => undefined)
  return { socket, answer: new Promise((resolve) => socket.once("close", () => resolve(heard))) }
}

const host = "host: 127.0.0.1"

test("sockets that send their headers or body too slowly are closed, and others are served meanwhile", async () => {
  const headers = Array.from({ length: 200 }, () => spoken(`GET /health HTTP/1.1\r\n${host}\r\nx-slow: `, impatient))
  const body = spoken(
    `POST /admin/take HTTP/1.1\r\n${host}\r\nauthorization: Bearer token\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{`,
    impatient,
  )
  expect((await fetch(`${impatient.url}/health`)).status).toBe(200)
  for (const { answer } of headers) expect(await answer).toMatch(/^HTTP\/1.1 408 /)
  await body.answer
  expect(taken).toBe(0)
  await expect.poll(() => registry.metrics()).toMatch(/tidemark_http_rejections_total\{reason="timeout"\} 20[01]/)
})

test("a body of 10 MB is refused before it is read, and without the token before its length matters", async () => {
  const post = (headers: Record<string, string>) =>
    fetch(`${server.url}/admin/take`, {
      ...{ method: "POST", body: `"${"x".repeat(10_000_000)}"` },
      headers: { "content-type": "application/json", ...headers },
    }).then(
      ({ status }) => status,
      // The server closed the connection while the client was still sending.
      () => "closed",
    )
  expect([401, "closed"]).toContain(await post({}))
  expect([413, "closed"]).toContain(await post({ authorization: "Bearer token" }))
  const small = { method: "POST", body: "{}", headers: { "content-type": "application/json" } }
  expect((await fetch(`${server.url}/admin/take`, small)).status).toBe(401)
  expect(taken).toBe(0)
  const counted = expect.poll(() => registry.metrics())
  await counted.toContain('tidemark_http_rejections_total{reason="body_too_large"} 1')
  await counted.toContain('tidemark_http_rejections_total{reason="unauthorized"} 2')
})

test("headers that are too long, and what is no HTTP, are refused without an echo or a stack", async () => {
  const long = await spoken(`GET /health HTTP/1.1\r\n${host}\r\nx-long: ${"<b>".repeat(10_000)}\r\n\r\n`).answer
  expect(long).toMatch(/^HTTP\/1.1 431 /)
  const bytes = await spoken("<script>alert(1)</script>\r\n\r\n").answer
  expect(bytes).toMatch(/^HTTP\/1.1 400 /)
  for (const answer of [long, bytes]) expect(answer).not.toMatch(/<|\bat .*:\d+:\d+/)
})

test("requests are measured by the pattern of their route, and what there is not as none", async () => {
  await fetch(`${server.url}/health?secret=1`)
  await fetch(`${server.url}/of/a/client`)
  const metrics = expect.poll(() => registry.metrics())
  await metrics.toContain('tidemark_http_request_seconds_count{route="/health",status="200"}')
  await metrics.toContain('tidemark_http_request_seconds_count{route="none",status="404"} 1')
  expect(await registry.metrics()).not.toContain("client")
})
