import { join } from "node:path"
import { Registry } from "prom-client"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { curlsOf, examplesOf, importExample } from "../../test/support/doc-examples.js"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { noAccess } from "../api/access.js"
import { dataApi } from "../api/data-api.js"
import { startHttpServer } from "../api/http-server.js"
import { StreamHub } from "../api/stream-hub.js"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { createStreamMetrics } from "../platform/metrics.js"
import { Database } from "../postgres/database.js"
import { OutboxFeed } from "../queries/outbox-feed.js"
import { ServedChain } from "../queries/served-chain.js"
import { createClient, type StreamEvent } from "./client.js"
import { parseEvents } from "./parse-events.js"

let store: TestDatabase
let database: Database
beforeAll(async () => {
  store = await createTestDatabase()
  database = new Database({ url: store.url, applicationName: "test", maxConnections: 2 })
})
afterAll(async () => {
  await database.end()
  await store.drop()
})

async function serve(port = 0) {
  const registry = new Registry()
  const pool = new Database({ url: store.url, applicationName: "api", maxConnections: 2, readOnly: true })
  const chain = new ServedChain({ name: "a", raw: pool, app: pool, clock: systemClock })
  const feed = new OutboxFeed({ chain, clock: systemClock, logger: silentLogger, intervalMs: 20 })
  feed.start()
  const streams = new StreamHub({
    ...{ feeds: () => [feed], maxStreams: 10, clock: systemClock, logger: silentLogger },
    metrics: createStreamMetrics(registry),
  })
  const server = await startHttpServer({
    ...{ host: "127.0.0.1", port, anyPort: false, chains: () => [], metrics: async () => "", readyLagBlocks: 10 },
    ...{ clock: systemClock, logger: silentLogger, maxStreams: 10 },
    plugin: (app) =>
      dataApi(app, {
        ...{ version: "0", chains: () => [chain], resources: [], streams },
        ...{ access: noAccess, corsOrigins: [], requestsPerMinute: 0 },
      }),
  })
  return {
    url: server.url,
    port: server.port,
    metrics: () => registry.metrics(),
    stop: async () => {
      await server.stop()
      await feed.stop()
      await chain.close()
    },
  }
}

let told = 0
async function tell(entries: number): Promise<void> {
  await database.query(
    `insert into app.outbox (id, kind, epoch, payload) select gen_random_uuid(), 'block', 0,
       jsonb_build_object('height', ($1::int4 + at)::text) from generate_series(1, $2::int4) as at order by at`,
    [told, entries],
  )
  told += entries
}
const position = async (): Promise<string> => {
  const { rows } = await database.query<{ last: string }>("select last_sequence::text as last from app.outbox_state")
  return `a:${rows[0]!.last}`
}

async function take(events: AsyncGenerator<StreamEvent, void>, count: number): Promise<StreamEvent[]> {
  const taken: StreamEvent[] = []
  while (taken.length < count) {
    const { value, done } = await events.next()
    if (done) break
    taken.push(value)
  }
  return taken
}
const heights = (events: readonly StreamEvent[]): number[] =>
  events.map((event) => (event.type === "block" ? Number(event.data.height) : -1))

test("every event comes once and in order, also across restarts of the server", async () => {
  let server = await serve()
  const client = createClient({ url: server.url, chain: "a" })
  const from = told + 1
  const events = client.stream({ lastEventId: await position(), retryMs: 1 })
  await tell(3)
  const seen = await take(events, 3)
  for (let restart = 0; restart < 2; restart++) {
    await server.stop()
    await tell(4)
    server = await serve(server.port)
    await tell(1)
    seen.push(...(await take(events, 5)))
  }
  await events.return()
  expect(heights(seen)).toEqual(Array.from({ length: 13 }, (_, at) => from + at))
  // Its id resumes in another loop.
  const again = client.stream({ lastEventId: seen.at(-2)!.id, retryMs: 1 })
  expect(heights(await take(again, 1))).toEqual([from + 12])
  await again.return()
  await server.stop()
})

test("what the server can no longer give is told as a reset, and refusals are thrown", async () => {
  const server = await serve()
  const client = createClient({ url: server.url, chain: "a" })
  const events = client.stream({ lastEventId: "a:1", retryMs: 1 })
  const [reset] = await take(events, 1)
  expect(reset).toMatchObject({ type: "reset", data: { code: "RESET", reason: "PRUNED", chain: "a" } })
  await tell(1)
  expect(heights(await take(events, 1))).toEqual([told])
  await events.return()
  const refused = client.stream({ lastEventId: "b:1" }).next()
  await expect(refused).rejects.toMatchObject({ name: "TidemarkError", code: "BAD_REQUEST", status: 400 })
  await server.stop()
})

test("an abort ends the loop, and leaving it closes the connection", async () => {
  const server = await serve()
  const client = createClient({ url: server.url, chain: "a" })
  const stopping = new AbortController()
  const from = await position()
  await tell(2)
  const seen: StreamEvent[] = []
  for await (const event of client.stream({ lastEventId: from, signal: stopping.signal })) {
    seen.push(event)
    if (seen.length === 2) stopping.abort()
  }
  expect(seen).toHaveLength(2)
  for await (const _ of client.stream({ lastEventId: from })) break
  await expect.poll(server.metrics).toMatch(/^\w*streams_open 0$/m)
  await server.stop()
})

test("the examples of the documents follow the stream", async () => {
  const server = await serve()
  const ofDemo = { url: server.url }
  const named = (code: string): string => code.replaceAll("demo", "a")
  const [url] = examplesOf("docs/guides/read-the-data.md", { ...ofDemo, language: "sh" })
    .flatMap(curlsOf)
    .filter((one) => one.includes("/stream"))
  const stopping = new AbortController()
  const response = await fetch(named(url!), { signal: stopping.signal })
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"])
  const blocks = examplesOf("docs/reference/client.md", { ...ofDemo, language: "js" })
  const code = named([blocks[0]!.split("const { data")[0], blocks.at(-1)].join("\n"))
    .replace("const stopping = new AbortController()", "export const stopping = globalThis.exampleStopping")
    .replace("lastEventId: undefined", `lastEventId: "${await position()}"`)
    .replaceAll('"tidemark/client"', JSON.stringify(join(import.meta.dirname, "client.ts")))
  const log = vi.spyOn(console, "log").mockImplementation(() => stopping.abort())
  Object.assign(globalThis, { exampleStopping: stopping })
  const example = importExample("stream", code)
  await tell(1)
  await example
  expect(log).toHaveBeenCalledWith(await position(), String(told))
  log.mockRestore()
  await server.stop()
})

test("events are the same however their bytes are cut", async () => {
  const text =
    'retry: 1\n\nid: a:1\n\n: heartbeat\n\nid: a:2\r\nevent: block\r\ndata: {"hash":"é💥"}\r\n\r\nevent: close\ndata: 1\ndata: 2\n\nid: a:3\n'
  const bytes = new TextEncoder().encode(text)
  const parsed = async (size: number) => {
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    }
    const events = []
    for await (const event of parseEvents(pieces(), "")) events.push(event)
    return events
  }
  const whole = await parsed(bytes.length)
  expect(whole).toEqual([
    { id: "a:1", type: "", data: "" },
    { id: "a:2", type: "block", data: '{"hash":"é💥"}' },
    { id: "a:2", type: "close", data: "1\n2" },
  ])
  for (let size = 1; size < bytes.length; size++) expect(await parsed(size)).toEqual(whole)
})
