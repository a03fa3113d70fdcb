import { Registry } from "prom-client"
import { afterEach, beforeEach, expect, test } from "vitest"
import { EventStream } from "../../test/support/event-stream.js"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { createStreamMetrics } from "../platform/metrics.js"
import { Database } from "../postgres/database.js"
import { OutboxFeed } from "../queries/outbox-feed.js"
import { ServedChain } from "../queries/served-chain.js"
import { noAccess } from "./access.js"
import { dataApi } from "./data-api.js"
import { startHttpServer } from "./http-server.js"
import { StreamHub } from "./stream-hub.js"

let stores: TestDatabase[]
let databases: Database[]
const closing: (() => Promise<void>)[] = []

beforeEach(async () => {
  stores = await Promise.all([createTestDatabase(), createTestDatabase()])
  databases = stores.map(({ url }) => new Database({ url, applicationName: "test", maxConnections: 4 }))
})
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  for (const database of databases) await database.end()
  for (const store of stores) await store.drop()
})

/** Chains `a`, and `b` if wanted, each in a store of its own. */
async function serve({ chains = ["a"], maxStreams = 10, heartbeatMs = 15_000, port = 0 } = {}) {
  const registry = new Registry()
  let reads = 0
  const served = chains.map((name, at) => {
    const pool = new Database({ url: stores[at]!.url, applicationName: "api", maxConnections: 4, readOnly: true })
    return new ServedChain({ name, raw: pool, app: pool, clock: systemClock })
  })
  const feeds = served.map((chain) => {
    const counted: Pick<ServedChain, "name" | "read"> = {
      name: chain.name,
      read: (store, work) => {
        reads++
        return chain.read(store, work)
      },
    }
    return new OutboxFeed({ chain: counted, clock: systemClock, logger: silentLogger, intervalMs: 50 })
  })
  for (const feed of feeds) feed.start()
  const streams = new StreamHub({
    ...{ feeds: () => feeds, maxStreams, clock: systemClock, logger: silentLogger, heartbeatMs },
    metrics: createStreamMetrics(registry),
  })
  const server = await startHttpServer({
    ...{ host: "127.0.0.1", port, anyPort: false, chains: () => [], metrics: async () => "", readyLagBlocks: 10 },
    ...{ clock: systemClock, logger: silentLogger, maxStreams },
    plugin: (app) =>
      dataApi(app, {
        ...{ version: "0", chains: () => served, resources: [], streams },
        ...{ access: noAccess, corsOrigins: [], requestsPerMinute: 0 },
      }),
  })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= (async () => {
      await server.stop()
      for (const feed of feeds) await feed.stop()
      for (const chain of served) await chain.close()
    })()
    return stopped
  }
  closing.push(stop)
  const follow = async (options: { query?: string; lastEventId?: string; paused?: boolean } = {}) => {
    const stream = await EventStream.open(`${server.url}/v1/stream${options.query ?? ""}`, options)
    closing.push(async () => stream.close())
    return stream
  }
  return { stop, follow, url: server.url, reads: () => reads, metrics: () => registry.metrics() }
}

let told = 0
async function tell({ store = 0, entries = 1, bytes = 0 } = {}): Promise<void> {
  await databases[store]!.query(
    `insert into app.outbox (id, kind, epoch, payload) select gen_random_uuid(), 'block', 0,
       jsonb_build_object('number', $1::int4 + at, 'padding', repeat('x', $3)) from generate_series(1, $2::int4) as at order by at`,
    [told, entries, bytes],
  )
  told += entries
}

const numbers = (stream: EventStream): number[] =>
  stream.events.filter(({ event }) => event === "block").map(({ data }) => data["number"] as number)
const upTo = (last: number, first: number): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at)

test("a stream begins with what comes next, and an id resumes it before the first event too", async () => {
  await tell()
  const { follow } = await serve()
  const first = await follow({ query: "?chain=a" })
  await first.until(() => first.lastEventId !== "")
  first.close()
  const from = told + 1
  await tell({ entries: 3 })
  const second = await follow({ query: "?chain=a", lastEventId: first.lastEventId })
  await second.until(() => second.events.length === 3)
  expect(numbers(second)).toEqual(upTo(told, from))
  expect(second.events[0]!.id).toMatch(/^a:\d+$/)
  expect(second.response.headers).toMatchObject({ "content-type": "text/event-stream; charset=utf-8" })
  expect(second.response.headers["content-encoding"]).toBeUndefined()
})

test("across restarts of the server every event comes once, and each end is told", async () => {
  let lastEventId = ""
  const seen: number[] = []
  const from = told + 1
  let writing = true
  let server = await serve()
  const opened = await server.follow()
  await opened.until(() => opened.lastEventId !== "")
  lastEventId = opened.lastEventId
  opened.close()
  const writer = (async () => {
    while (writing) await tell({ entries: 7 })
  })()
  for (let restart = 0; restart < 4; restart++) {
    const stream = await server.follow({ lastEventId })
    await stream.until(() => stream.events.length > 50)
    await server.stop()
    await stream.ended()
    expect(stream.events.at(-1)).toMatchObject({ event: "close", data: { code: "SHUTDOWN" } })
    seen.push(...numbers(stream))
    lastEventId = stream.lastEventId
    server = await serve()
  }
  writing = false
  await writer
  const stream = await server.follow({ lastEventId })
  await stream.until(() => seen.length + numbers(stream).length >= told - from + 1)
  expect([...seen, ...numbers(stream)]).toEqual(upTo(told, from))
})

test("a client that was away longer than memory reaches gets everything that is kept, in order", async () => {
  const { rows } = await databases[0]!.query<{ last: string }>("select last_sequence as last from app.outbox_state")
  const from = told + 1
  await tell({ entries: 4_500 })
  const { follow } = await serve()
  const stream = await follow({ lastEventId: `a:${rows[0]!.last}` })
  await stream.until(() => stream.events.length >= 4_500)
  await tell()
  await stream.until(() => stream.events.length >= 4_501)
  expect(numbers(stream)).toEqual(upTo(told, from))
})

test("a client that asks for what is pruned is told so, and goes on with what comes next", async () => {
  await tell({ entries: 20 })
  const { rows } = await databases[0]!.query<{ middle: string }>(
    `with gone as (delete from app.outbox where sequence <= (select last_sequence - 10 from app.outbox_state))
     update app.outbox_state set pruned_sequence = last_sequence - 10 returning pruned_sequence as middle`,
  )
  const pruned = Number(rows[0]!.middle)
  const { follow } = await serve()
  const kept = await follow({ lastEventId: `a:${pruned}` })
  await kept.until(() => numbers(kept).length === 10)
  const lost = await follow({ lastEventId: `a:${pruned - 1}` })
  await lost.until(() => lost.events.length === 1)
  const data = { code: "RESET", reason: "PRUNED", chain: "a", oldest_id: `a:${pruned}` }
  expect(lost.events[0]).toEqual({ id: `a:${pruned + 10}`, event: "reset", data })
  await tell()
  await lost.until(() => lost.events.length === 2)
  expect(numbers(lost)).toEqual([told])
})

test("a position that the store has not reached is waited for, and then not of this store", async () => {
  await tell()
  const { follow } = await serve()
  const { rows } = await databases[0]!.query<{ last: string }>("select last_sequence as last from app.outbox_state")
  const last = Number(rows[0]!.last)
  const soon = await follow({ lastEventId: `a:${last + 1}` })
  const never = await follow({ lastEventId: `a:${last + 1_000}` })
  await tell({ entries: 2 })
  await soon.until(() => soon.events.length === 1)
  expect(numbers(soon)).toEqual([told])
  await never.until(() => never.events.length === 1)
  expect(never.events[0]).toMatchObject({ event: "reset", data: { code: "RESET", reason: "UNKNOWN" } })
})

test("a client that does not read is cut off and told why, resumes without loss, and holds up nobody", async () => {
  const { follow, metrics } = await serve()
  const [slow, quick] = [await follow({ paused: true }), await follow()]
  await quick.until(() => quick.lastEventId !== "")
  const from = told + 1
  // All in the memory of the feed, and more than the sockets hold.
  await tell({ entries: 1_900, bytes: 10_000 })
  await quick.until(() => numbers(quick).at(-1) === told)
  await expect.poll(metrics, { timeout: 20_000 }).toContain("tidemark_streams_cut_total 1")
  slow.response.resume()
  await slow.ended()
  expect(slow.events.at(-1)).toMatchObject({ event: "close", data: { code: "TOO_SLOW" } })
  // The rest was never written: what is buffered for a client is bounded.
  expect(numbers(slow).length).toBeLessThan(1_500)
  const resumed = await follow({ lastEventId: slow.lastEventId })
  await resumed.until(() => numbers(resumed).at(-1) === told)
  expect([...numbers(slow), ...numbers(resumed)]).toEqual(upTo(told, from))
  expect(numbers(quick)).toEqual(upTo(told, from))
  expect(await metrics()).toContain("tidemark_streams_open 2")
}, 60_000)

test("one id resumes all chains of a stream, and ?chain= follows one", async () => {
  let server = await serve({ chains: ["a", "b"] })
  const both = await server.follow()
  await both.until(() => /^a:\d+,b:\d+$/.test(both.lastEventId))
  const ofA = await server.follow({ query: "?chain=a" })
  await ofA.until(() => ofA.lastEventId !== "")
  await tell({ store: 0 })
  await tell({ store: 1 })
  await both.until(() => both.events.length === 2)
  await ofA.until(() => ofA.events.length === 1)
  expect(numbers(ofA)).toEqual([told - 1])
  await server.stop()
  await tell({ store: 1, entries: 2 })
  await tell({ store: 0, entries: 2 })
  server = await serve({ chains: ["a", "b"] })
  const resumed = await server.follow({ lastEventId: both.lastEventId })
  await resumed.until(() => resumed.events.length === 4)
  expect(numbers(resumed).sort((x, y) => x - y)).toEqual(upTo(told, told - 3))
})

test("many readers cost one read of the outbox, and none without readers", async () => {
  const server = await serve({ maxStreams: 50 })
  const readers = await Promise.all(Array.from({ length: 50 }, () => server.follow()))
  await Promise.all(readers.map((reader) => reader.until(() => reader.lastEventId !== "")))
  const before = server.reads()
  for (let at = 0; at < 5; at++) {
    await tell()
    await Promise.all(readers.map((reader) => reader.until(() => numbers(reader).at(-1) === told)))
  }
  const [wait, started] = [5, performance.now()]
  // Reads go by the feed's interval, whatever the number of readers: five events took five reads at the least.
  expect(server.reads() - before).toBeLessThan(50 * wait)
  for (const reader of readers) reader.close()
  await expect.poll(server.metrics).toContain("tidemark_streams_open 0")
  let reads = -1
  await expect
    .poll(
      () => {
        const still = reads === server.reads()
        reads = server.reads()
        return still && performance.now() - started > 2_000
      },
      { timeout: 10_000, interval: 500 },
    )
    .toBe(true)
})

test("heartbeats come while nothing happens, and streams beyond the limit are refused until one ends", async () => {
  const { follow, metrics } = await serve({ maxStreams: 2, heartbeatMs: 1_000 })
  const first = await follow()
  await follow()
  await expect(follow()).rejects.toThrow(/^429 .*TOO_MANY_STREAMS/)
  await first.until(() => first.heartbeats >= 2)
  first.close()
  await expect.poll(metrics).toContain("tidemark_streams_open 1")
  await follow()
  expect(await metrics()).toContain("tidemark_streams_refused_total 1")
})

test("requests that are wrong are refused, and HEAD does not open a stream", async () => {
  const { follow, url } = await serve()
  for (const lastEventId of ["a", "a:x", "a:1,", "a:1\u0000", "A:1", `a:${"9".repeat(16)}`])
    await expect(follow({ query: `?last_event_id=${encodeURIComponent(lastEventId)}` })).rejects.toThrow(/^400 /)
  await expect(follow({ query: "?chain=a", lastEventId: "b:1" })).rejects.toThrow(/^400 /)
  await expect(follow({ query: "?chain=A" })).rejects.toThrow(/^400 /)
  await expect(follow({ query: "?nonsense=1" })).rejects.toThrow(/^400 /)
  expect((await fetch(`${url}/v1/stream`, { method: "HEAD" })).status).toBe(405)
})
