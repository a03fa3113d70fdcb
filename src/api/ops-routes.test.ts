import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { type ServedStore, serveStore } from "../../test/support/served-store.js"

let served: ServedStore
let raw: ServedStore["store"]["raw"]
let app: ServedStore["store"]["app"]

const lease = (schema: "raw" | "app", worker: string, height: number, status: string, error: string | null) =>
  served.store[schema].query(
    `insert into ${schema}.worker_leases (worker_type, from_height, to_height, status, attempt, epoch, lease_ttl_ms,
       next_attempt_at, last_error, last_error_code, last_error_at)
     values ($1, $2::int8, $2::int8 + 1, $3, 4, gen_random_uuid(), 1, clock_timestamp() + interval '1 minute', $4,
       'WORKER_FAILED', clock_timestamp())`,
    [worker, height, status, error],
  )

beforeAll(async () => {
  served = await serveStore(livelyBlocks({ seed: 3, from: 0, to: 20 }), { twoDatabases: true })
  raw = served.store.raw
  app = served.store.app
  await raw.query("update raw.chain_state set head_height = 22, finalized_height = 10")
  await lease("raw", "raw_ingester", 20, "FAILED", "connect to https://node.example/secret-key failed")
  for (const height of [21, 22, 23])
    await lease("app", "evm_worker", height, "DEAD", `no room for 0xab${height} at ${height}`)
  await lease("app", "token_worker", 24, "DEAD", "</script><script>alert(1)</script>")
}, 60_000)
afterAll(() => served.close())

const ops = (path: string) => served.get(`/v1/test/ops${path}`)

/** All rows, two at a time. */
async function walk(path: string) {
  const rows: Record<string, unknown>[] = []
  let cursor = ""
  do {
    const { status, json } = await ops(`${path}${path.includes("?") ? "&" : "?"}limit=2${cursor}`)
    expect(status, JSON.stringify(json)).toBe(200)
    rows.push(...json.data)
    cursor = json.meta.next_cursor ? `&cursor=${json.meta.next_cursor}` : ""
  } while (cursor !== "")
  return rows
}

describe("leases", () => {
  test("of both databases are listed once in order, with attempt, next try and error, without secrets", async () => {
    const rows = await walk("/leases")
    expect(rows.map(({ worker, from, status }) => [worker, from, status])).toEqual([
      ["evm_worker", "21", "DEAD"],
      ["evm_worker", "22", "DEAD"],
      ["evm_worker", "23", "DEAD"],
      ["raw_ingester", "20", "FAILED"],
      ["token_worker", "24", "DEAD"],
    ])
    const failed = rows[3]!
    expect(failed).toMatchObject({ attempt: 4, error_code: "WORKER_FAILED", expires_in_ms: null })
    expect(failed["next_attempt_in_ms"]).toBeGreaterThan(0)
    expect(failed["error"]).toContain("node.example")
    expect(JSON.stringify(rows)).not.toContain("secret-key")
  })

  test("are filtered", async () => {
    expect((await walk("/leases?worker=evm_worker&status=DEAD")).length).toBe(3)
    expect((await walk("/leases?status=OPEN")).map(({ from, status }) => [from, status])).toEqual([["20", "FAILED"]])
    expect(await walk("/leases?code=BUG")).toEqual([])
    const within = await walk("/leases?from_height=22&to_height=24")
    expect(within.map(({ from }) => from)).toEqual(["22", "23"])
    expect(await ops("/leases?status=dead")).toMatchObject({ status: 400 })
  })

  test("that are DEAD are grouped by their error, whatever the numbers in it", async () => {
    const groups = await walk("/leases/dead")
    expect(groups).toMatchObject([
      { worker: "evm_worker", error: "no room for # at #", blocks: 3, first_height: "21", last_height: "23" },
      { worker: "token_worker", blocks: 1 },
    ])
  })
})

test("errors are listed newest first over both databases, and hostile text is inert", async () => {
  const insert = (schema: "raw" | "app", worker: string, height: number, minutes: number, message: string) =>
    served.store[schema].query(
      `insert into ${schema}.indexing_errors (worker_name, block_height, error_hash, error_message, severity, created_at)
       values ($1, $2, decode(md5($3), 'hex'), $3, 'WARN', timestamptz '2026-01-01' + $4::int4 * interval '1 minute')`,
      [worker, height, message, minutes],
    )
  await insert("raw", "raw_ingester", 1, 1, "one")
  await insert("app", "evm_worker", 2, 2, "<img src=x onerror=alert(1)>")
  await insert("app", "evm_worker", 3, 2, "three")
  await insert("raw", "raw_ingester", 4, 4, "four")
  const rows = await walk("/errors")
  expect(rows.map(({ height }) => height)).toEqual(["4", "3", "2", "1"])
  expect((await walk("/errors?worker=evm_worker&height=2"))[0]!["message"]).toBe("<img src=x onerror=alert(1)>")
  const { headers } = await ops("/errors")
  expect(headers.get("content-type")).toContain("application/json")
  expect(headers.get("x-content-type-options")).toBe("nosniff")
  expect(await walk("/errors?resolved=true")).toEqual([])
})

test("the audit log is one list of both databases, newest first", async () => {
  for (const [at, database, schema] of [
    [1, raw, "raw"],
    [2, app, "app"],
    [3, raw, "raw"],
    [3, app, "app"],
  ] as const) {
    await database.query(
      `insert into ${schema}.audit_log (at, actor, action, details)
       values (timestamptz '2026-01-01' + $1::int4 * interval '1 minute', $2, 'retry', '{"token": "abc"}')`,
      [at, `ann ${at}`],
    )
  }
  const rows = await walk("/audit")
  expect(rows.map(({ actor, store }) => `${actor} ${store}`)).toEqual([
    "ann 3 raw",
    "ann 3 app",
    "ann 2 app",
    "ann 1 raw",
  ])
  expect(rows[0]!["details"]).toEqual({ token: "***" })
  expect(await walk("/audit?actor=ann%202")).toHaveLength(1)
})

test("rollbacks are listed newest first, with the open one and whether app has followed", async () => {
  const [one, two] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"]
  await raw.query(
    `insert into raw.rollbacks (id, epoch, removed, reason) values ($1, 1, '[50,)', 'reorg'), ($2, 2, 'empty', null)`,
    [one, two],
  )
  await app.query("insert into app.rollbacks (id, epoch, removed) values ($1, 1, '[50,)')", [one])
  await raw.query(
    `update raw.chain_state set intent_id = gen_random_uuid(), intent_epoch = 3, intent_removed = '[30,40)',
       intent_opened_at = clock_timestamp() - interval '1 minute'`,
  )
  await raw.query("insert into raw.audit_log (actor, action, details) values ('ann@harbour', 'rollback', $1)", [
    JSON.stringify({ id: one, to: 49 }),
  ])
  const rows = await walk("/rollbacks")
  await raw.query(
    "update raw.chain_state set intent_id = null, intent_epoch = null, intent_removed = null, intent_opened_at = null",
  )
  await raw.query("delete from raw.rollbacks")
  expect(rows).toMatchObject([
    { epoch: 3, state: "open", removed_from: "30", removed_to: "40", app_done: false, created_at: null },
    { epoch: 2, state: "cancelled", removed_from: null, app_done: false },
    {
      epoch: 1,
      state: "done",
      removed_from: "50",
      removed_to: null,
      app_done: true,
      actor: "ann@harbour",
      took_ms: null,
    },
  ])
  expect(rows[0]!["took_ms"]).toBeGreaterThanOrEqual(60_000)
  expect(rows[1]!["actor"]).toBeNull()
})

test("workers say what they depend on, how far they are and what they hold", async () => {
  await app.query("update app.workers set paused = true, paused_reason = 'tired' where name = 'token_worker'")
  const rows = await walk("/workers")
  const names = rows.map(({ worker }) => worker)
  expect(names).toEqual([...names].sort())
  expect(rows.find(({ worker }) => worker === "token_worker")).toMatchObject({
    ...{ paused: true, paused_reason: "tired", watermark_height: "19", lag_blocks: 3, covered_blocks: 20 },
    leases: { active: 0, failed: 0, dead: 1 },
  })
  expect(rows.find(({ worker }) => worker === "ft_holdings_worker")!["dependencies"]).toContain("token_worker")
  expect(rows.find(({ worker }) => worker === "raw_ingester")).toMatchObject({
    dependencies: [],
    leases: { failed: 1 },
  })
})

test("processes and providers are as the processes report them", async () => {
  const state = JSON.stringify({
    ...{ threads: 3, followsHead: true, providers: [], paused: null, lastStoredAtMs: 1, rssBytes: 5, connections: 19 },
    lastFault: { code: "RPC_TIMEOUT", message: "late", atMs: 1_000 },
  })
  const provider = { label: "node.example", state: "open", lastError: "late", lastErrorAtMs: 1, mismatch: null }
  const usage = (pid: number) => {
    const of = { provider: "node.example", calls: 10 * pid, errors: pid, bytes: 100, ms: 500, perMinute: pid }
    const [reads, calls] = [
      { ...of, method: "eth_getBlockByNumber" },
      { ...of, method: "eth_call", calls: 1 },
    ]
    // What another release wrote is left out.
    return { calls: [reads, calls, { ...of, method: 5 }], rate: pid === 3 ? "much" : { limit: 50, share: 20 } }
  }
  for (const pid of [1, 2, 3]) {
    await raw.query(
      `insert into raw.processes (id, host, pid, roles, version, state)
       values (gen_random_uuid(), 'worker', $1, '{ingest}', '1', $2)`,
      [pid, JSON.stringify({ ...JSON.parse(state), ...(pid === 1 ? { providers: [provider] } : {}), ...usage(pid) })],
    )
  }
  const rows = await walk("/processes")
  expect(rows.map(({ pid }) => pid).sort()).toEqual([1, 2, 3])
  expect(rows[0]).toMatchObject({
    threads: 3,
    connections: 19,
    last_fault: { code: "RPC_TIMEOUT", at: "1970-01-01T00:00:01.000Z" },
  })
  expect(rows.find(({ pid }) => pid === 2)).toMatchObject({ calls_per_minute: 4, rate_limit: 50, rate_share: 20 })
  expect(rows.find(({ pid }) => pid === 3)).toMatchObject({ rate_limit: null, rate_share: null })
  expect(await walk("/providers")).toMatchObject([
    {
      ...{ label: "node.example", state: "open", open_in: 1, rate_limit: 50, rate_share: 40 },
      methods: [
        { method: "eth_getBlockByNumber", calls: 60, errors: 6, bytes: 300, seconds: 1.5, per_minute: 6 },
        { method: "eth_call", calls: 3, errors: 6 },
      ],
    },
  ])
})

test("tables have their size and what fills them; those that do not grow with the chain have no growth", async () => {
  const tables = await walk("/store")
  const find = (name: string) => tables.find(({ store, table }) => `${store}.${table}` === name)!
  expect(find("raw.blocks")).toMatchObject({ worker: "raw_ingester" })
  expect(find("raw.blocks")["partitions"]).toBeGreaterThan(0)
  expect(find("app.ft_transfers")).toMatchObject({ worker: "token_worker" })
  for (const name of ["raw.blocks", "app.ft_transfers"]) {
    const { bytes, index_bytes, bytes_per_block, bytes_per_day } = find(name) as Record<string, number>
    expect(bytes).toBeGreaterThan(index_bytes!)
    expect(bytes_per_block! * 20).toBeCloseTo(bytes!, -1)
    expect(bytes_per_day).toBeGreaterThan(0)
  }
  expect(find("raw.audit_log")).toMatchObject({
    worker: null,
    partitions: 0,
    bytes_per_block: null,
    bytes_per_day: null,
  })
  const { rows } = await raw.query<{ bytes: string }>(
    "select sum(pg_total_relation_size(inhrelid)) as bytes from pg_inherits where inhparent = 'raw.blocks'::regclass",
  )
  expect(find("raw.blocks")["bytes"]).toBe(Number(rows[0]!.bytes))
  const parts = await walk("/store/partitions?store=raw&table=blocks")
  expect(parts[0]).toMatchObject({ store: "raw", table: "blocks", from: "0" })
  expect(parts.reduce((sum, { bytes }) => sum + Number(bytes), 0)).toBe(find("raw.blocks")["bytes"])
})

describe("the series", () => {
  const sample = (seconds: number, ago: number, covered: number, lag: number) =>
    raw.query(
      `insert into raw.status_series (interval_seconds, at, head_height, workers)
       select $1::int4, to_timestamp(floor(extract(epoch from clock_timestamp()) / $1::int4 - $2::int4) * $1::int4), 22, $3`,
      [seconds, ago, JSON.stringify({ raw_ingester: { watermark: covered - 1, covered, lag } })],
    )
  const ingesterOf = (json: { workers: { worker: string }[] }) =>
    json.workers.find(({ worker }) => worker === "raw_ingester")
  beforeEach(() => raw.query("delete from raw.status_series"))

  test("is empty at first, and has what the writer kept, once for each time", async () => {
    expect((await ops("/series")).json).toMatchObject({ chain: "test", at: [], workers: [] })
    await sample(30, 3_001, 1, 1)
    await sample(900, 3_100, 1, 1)
    await served.series.runOnce()
    await served.series.runOnce()
    const { rows } = await raw.query("select interval_seconds from raw.status_series order by 1")
    // Those that were too old are gone.
    expect(rows.length).toBeGreaterThanOrEqual(2)
    expect(new Set(rows.map((row) => row["interval_seconds"]))).toEqual(new Set([30, 900]))
    expect(await raw.query("select from raw.status_series where at < now() - interval '1 hour'")).toMatchObject({
      rowCount: 0,
    })
    const { json } = await ops("/series")
    expect(ingesterOf(json)).toMatchObject({ lag_blocks: expect.arrayContaining([3]) })
    expect(json.workers.map(({ worker }: { worker: string }) => worker)).toContain("token_worker")
    expect((await ops("/series?span=month")).json.interval_ms).toBe(13 * 900_000)
  })

  test("has rates from one point to the next, a gap where nobody wrote, and the worst lag of a point", async () => {
    for (const [ago, covered, lag] of [
      [9, 10, 12],
      [8, 40, 2],
      [3, 70, 0],
      [2, 64, 6],
    ] as const)
      await sample(30, ago, covered, lag)
    const { json } = await ops("/series?points=120")
    expect(json).toMatchObject({ interval_ms: 30_000, span: "hour" })
    expect(ingesterOf(json)).toMatchObject({
      watermark_height: ["9", "39", null, null, null, null, "69", "63"],
      blocks_per_second: [null, 1, null, null, null, null, null, -0.2],
    })
    const few = ingesterOf((await ops("/series?points=1")).json) as unknown as { lag_blocks: number[] }
    expect(Math.max(...few.lag_blocks)).toBe(12)
    expect(await ops("/series?span=year")).toMatchObject({ status: 400 })
  })
})

describe("the map", () => {
  test("has a row for each worker below those it depends on, and the worst state of each bucket", async () => {
    const { json } = await ops("/map?buckets=23")
    expect(json).toMatchObject({ from: "0", to: "23", buckets: 23, head_height: "22" })
    const at = (worker: string) => json.workers.findIndex((row: { worker: string }) => row.worker === worker)
    expect(at("raw_ingester")).toBe(0)
    expect(at("ft_holdings_worker")).toBeGreaterThan(at("token_worker"))
    expect(json.workers[0]).toMatchObject({
      ...{ states: "ddddddddddddddddddddfmm", missing_blocks: 3, watermark_height: "19" },
      leases: { active: 0, failed: 1, dead: 0 },
    })
    expect(json.workers[at("evm_worker")]).toMatchObject({ states: "ddddddddddddddddddddmxx", leases: { dead: 2 } })
  })

  test("adds up what lies in a bucket: partial where some is missing, and one dead block is seen at any zoom", async () => {
    await app.query("update app.coverage set heights = '{[0,3),[5,7),[9,20)}' where worker_type = 'meta_worker'")
    await app.query("update app.coverage set skipped = '{[7,9)}' where worker_type = 'meta_worker'")
    const meta = async (query: string) => {
      const { json } = await ops(`/map?${query}`)
      return json.workers.find(({ worker }: { worker: string }) => worker === "meta_worker").states
    }
    expect(await meta("buckets=23")).toBe("dddmmddssdddddddddddmmm")
    // [0,5) [5,11) [11,17) [17,23)
    expect(await meta("buckets=4")).toBe("psdp")
    expect(await meta("from=4&to=10&buckets=3")).toBe("pss")
    expect(await meta("from=3&to=5")).toBe("mm")
    const { json } = await ops("/map?buckets=1")
    expect(json.workers.find(({ worker }: { worker: string }) => worker === "evm_worker").states).toBe("x")
    await app.query("update app.coverage set heights = '{[0,20)}', skipped = '{}' where worker_type = 'meta_worker'")
  })

  test("agrees with what is counted height by height, whatever is asked for", async () => {
    const heights = "{[0,2),[3,4),[6,7),[8,13),[14,15),[17,22)}"
    await app.query("update app.coverage set heights = $1 where worker_type = 'meta_worker'", [heights])
    const has = (height: number) => [0, 1, 3, 6, 8, 9, 10, 11, 12, 14, 17, 18, 19, 20, 21].includes(height)
    for (let from = 0; from < 20; from += 3) {
      for (let buckets = 1; buckets <= 9; buckets++) {
        const { json } = await ops(`/map?from=${from}&buckets=${buckets}`)
        const edge = (at: number) => from + Math.floor(((23 - from) * at) / json.buckets)
        const expected = Array.from({ length: json.buckets }, (_, at) => {
          const all = Array.from({ length: edge(at + 1) - edge(at) }, (_, one) => has(edge(at) + one))
          return all.every(Boolean) ? "d" : all.some(Boolean) ? "p" : "m"
        })
        const { states } = json.workers.find(({ worker }: { worker: string }) => worker === "meta_worker")
        expect(states, `from ${from} in ${buckets}`).toBe(expected.join(""))
      }
    }
    await app.query("update app.coverage set heights = '{[0,20)}' where worker_type = 'meta_worker'")
  })

  test("marks rollbacks, takes no nonsense, and is empty where there is nothing", async () => {
    await raw.query("insert into raw.rollbacks (id, epoch, removed) values (gen_random_uuid(), 1, '[12,)')")
    expect((await ops("/map")).json.rollbacks).toMatchObject([{ height: "12", epoch: 1 }])
    expect((await ops("/map?from=13")).json.rollbacks).toEqual([])
    await raw.query("delete from raw.rollbacks")
    expect(await ops("/map?from=5&to=5")).toMatchObject({ status: 400 })
    expect(await ops("/map?buckets=2001")).toMatchObject({ status: 400 })
    expect((await ops("/map?from=900")).json).toMatchObject({ buckets: 0, from: "23", to: "23" })
  })
})

test("a cursor belongs to its list and filters", async () => {
  const { json } = await ops("/leases?limit=1")
  for (const path of ["/leases?status=DEAD", "/errors?", "/leases/dead?"])
    expect(await ops(`${path}&cursor=${json.meta.next_cursor}`)).toMatchObject({
      json: { error: { code: "CURSOR_INVALID" } },
    })
})
