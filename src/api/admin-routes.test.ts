import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { type ServedStore, serveStore } from "../../test/support/served-store.js"

const token = "the-admin-token-of-this-test"
const [name, key] = ["ann", "the-api-key-of-this-test"]

let served: ServedStore
beforeAll(async () => {
  const access = { adminToken: token, opsIsPublic: true, apiKeys: [{ name, key }], trustedProxies: [] }
  served = await serveStore(livelyBlocks({ seed: 3, from: 0, to: 20 }), { access })
  await served.store.raw.query("update raw.chain_state set head_height = 19, finalized_height = 5")
}, 60_000)
afterAll(() => served.close())
beforeEach(async () => {
  await served.store.raw.query("truncate raw.audit_log, app.audit_log")
})

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${served.url}/admin${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: whatever the route answers.
  return { status: response.status, json: (await response.json()) as any }
}
const post = (path: string, body?: unknown, headers?: Record<string, string>) => send("POST", path, body, headers)

const audit = async (schema: "raw" | "app") =>
  (await served.store.raw.query(`select actor, action, details from ${schema}.audit_log order by id`)).rows

const dead = (schema: "raw" | "app", worker: string, height: number) =>
  served.store.raw.query(
    `insert into ${schema}.worker_leases (worker_type, from_height, to_height, status, attempt, epoch, lease_ttl_ms)
     values ($1, $2::int8, $2::int8 + 1, 'DEAD', 20, gen_random_uuid(), 1)`,
    [worker, height],
  )

test("who asks is in the audit row: the admin's address, or the name of the key", async () => {
  expect(await post("/test/workers/token_worker/pause", { reason: "tired" })).toMatchObject({
    ...{ status: 200, json: { chain: "test", worker: "token_worker", paused: true } },
  })
  expect(await post("/test/workers/token_worker/resume", undefined, { "x-api-key": key })).toMatchObject({
    status: 200,
  })
  expect(await post("/test/workers/token_worker/concurrency", { concurrency: 3 })).toMatchObject({ status: 200 })
  expect(await post("/test/workers/token_worker/concurrency", { concurrency: null })).toMatchObject({ status: 200 })
  expect(await audit("app")).toMatchObject([
    { actor: "admin@127.0.0.1", action: "pause", details: { worker_type: "token_worker", reason: "tired" } },
    { actor: "ann@127.0.0.1", action: "resume" },
    { action: "concurrency", details: { concurrency: 3 } },
    { action: "concurrency", details: { concurrency: null } },
  ])
  expect((await send("GET", "")).json).toEqual({ actor: "admin@127.0.0.1", chains: ["test"] })
})

test("a client's address counts as a trusted proxy gives it, and as nobody else does", async () => {
  const who = async (trustedProxies: readonly string[]) => {
    const access = { adminToken: token, opsIsPublic: true, apiKeys: [], trustedProxies }
    const again = await served.again({ access })
    const headers = { authorization: `Bearer ${token}`, "x-forwarded-for": "198.51.100.1, 203.0.113.9" }
    const { body } = await again.inject({ url: "/admin", headers })
    await again.close()
    return (JSON.parse(body) as { actor: string }).actor
  }
  expect(await who([])).toBe("admin@127.0.0.1")
  expect(await who(["loopback"])).toBe("admin@203.0.113.9")
  expect(await who(["loopback", "203.0.113.0/24"])).toBe("admin@198.51.100.1")
  expect(await who(["10.0.0.0/8"])).toBe("admin@127.0.0.1")
})

test("what cannot be done says why: 404 for what is not there, 400 for what makes no sense", async () => {
  expect(await post("/test/workers/nobody/pause")).toMatchObject({
    status: 404,
    json: { error: { code: "NOT_FOUND" } },
  })
  expect(await post("/other/workers/token_worker/pause")).toMatchObject({ status: 404 })
  expect(await post("/test/leases/retry", {})).toMatchObject({ status: 400 })
  expect(await post("/test/leases/skip", { worker: "evm_worker", height: "3" })).toMatchObject({ status: 404 })
  expect(await post("/test/errors/resolve", {})).toMatchObject({ status: 400 })
  expect(await audit("app")).toEqual([])
})

test("DEAD blocks are retried and skipped", async () => {
  await dead("raw", "raw_ingester", 30)
  await dead("app", "evm_worker", 31)
  await dead("app", "evm_worker", 32)
  expect((await post("/test/leases/skip", { worker: "evm_worker", height: "32" })).json).toMatchObject({
    skipped: [{ worker: "evm_worker", height: "32" }],
  })
  expect((await post("/test/leases/retry", { height: "30" })).json).toMatchObject({
    retried: [{ worker: "raw_ingester", height: "30" }],
  })
  expect((await post("/test/leases/retry", { all_dead: true })).json).toMatchObject({
    retried: [{ worker: "evm_worker", height: "31" }],
  })
  expect((await audit("app")).map(({ action }) => action)).toEqual(["skip", "retry"])
  expect((await audit("raw")).map(({ action }) => action)).toEqual(["retry"])
  await served.store.raw.query("delete from raw.worker_leases where status in ('FAILED', 'DEAD')")
  await served.store.raw.query("delete from app.worker_leases where status in ('FAILED', 'DEAD')")
  await served.store.raw.query("update app.coverage set skipped = '{}' where worker_type = 'evm_worker'")
})

test("DEAD blocks are retried and skipped by their fault, and no others", async () => {
  const insert = (height: number, code: string, error: string) =>
    served.store.raw.query(
      `insert into app.worker_leases (worker_type, from_height, to_height, status, attempt, epoch, lease_ttl_ms,
         last_error_code, last_error)
       values ('evm_worker', $1::int8, $1::int8 + 1, 'DEAD', 20, gen_random_uuid(), 1, $2, $3)`,
      [height, code, error],
    )
  for (const height of [30, 31]) await insert(height, "WORKER_FAILED", `no room for 0x${height} at ${height}`)
  await insert(32, "WORKER_FAILED", "another")
  await insert(33, "BUG", "another")
  const groups = (await served.get("/v1/test/ops/leases/dead")).json.data
  const { fault } = groups.find(({ blocks }: { blocks: number }) => blocks === 2)
  expect((await served.get(`/v1/test/ops/leases?status=DEAD&fault=${fault}`)).json.data).toHaveLength(2)
  const heights = (blocks: readonly { readonly height: string }[]) => blocks.map(({ height }) => height)
  const retry = async (most?: number) => (await post("/test/leases/retry", { all_dead: true, fault, most })).json
  for (const [most, height, left] of [
    [1, "30", 1],
    [undefined, "31", 0],
  ] as const) {
    const { retried, left: rest } = await retry(most)
    expect([heights(retried), rest]).toEqual([[height], left])
  }
  const skip = (body: object) => post("/test/leases/skip", { worker: "evm_worker", ...body })
  expect(heights((await skip({ all_dead: true, code: "BUG" })).json.skipped)).toEqual(["33"])
  expect(await skip({ height: "32", code: "BUG" })).toMatchObject({ status: 400 })
  expect(await skip({ height: "32", most: 1 })).toMatchObject({ status: 400 })
  expect(await skip({})).toMatchObject({ status: 400 })
  const { rows } = await served.store.raw.query("select from_height from app.worker_leases where status = 'DEAD'")
  expect(rows).toEqual([{ from_height: "32" }])
  expect((await audit("app")).map(({ action }) => action)).toEqual(["retry", "retry", "skip"])
  await served.store.raw.query("delete from app.worker_leases where status in ('FAILED', 'DEAD')")
  await served.store.raw.query("update app.coverage set skipped = '{}' where worker_type = 'evm_worker'")
})

test("errors are resolved", async () => {
  await served.store.raw.query(
    `insert into app.indexing_errors (worker_name, block_height, error_hash, error_message, severity)
     values ('evm_worker', 3, '\\x01', 'no', 'WARN')`,
  )
  expect((await post("/test/errors/resolve", { worker: "evm_worker" })).json).toMatchObject({
    resolved: { evm_worker: 1 },
  })
  expect((await post("/test/errors/resolve", { all: true })).json).toMatchObject({ resolved: {} })
})

describe("heights", () => {
  test("are derived again while processes run", async () => {
    await insertProcess()
    expect((await post("/test/workers/token_worker/rederive", { from: "10", to: "12" })).status).toBe(200)
    const { rows } = await served.store.raw.query(
      "select worker_type, heights::text from app.coverage where worker_type in ('token_worker', 'evm_worker') order by 1",
    )
    expect(rows).toEqual([
      { worker_type: "evm_worker", heights: "{[0,20)}" },
      { worker_type: "token_worker", heights: "{[0,10),[12,20)}" },
    ])
    await served.store.deriveAll()
    expect(await audit("app")).toMatchObject([{ action: "rederive", details: { heights: "{[10,12)}" } }])
    expect(await post("/test/workers/token_worker/rederive", { from: "10", to: "99" })).toMatchObject({ status: 404 })
    expect(await post("/test/workers/token_worker/rederive", { from: "0", to: "99999" })).toMatchObject({
      status: 400,
    })
  })

  test("of a whole worker are refused while a process derives, with the command to run", async () => {
    await insertProcess()
    expect(await post("/test/workers/token_worker/rederive")).toMatchObject({
      status: 409,
      json: {
        error: {
          code: "STILL_RUNNING",
          details: { command: "tidemark workers rederive token_worker --chain test --yes" },
        },
      },
    })
    await served.store.raw.query("truncate raw.processes")
  })

  const insertProcess = () =>
    served.store.raw.query(
      `insert into raw.processes (id, host, pid, roles, version) values (gen_random_uuid(), 'h', 1, '{work}', '1')`,
    )
})

describe("ABIs", () => {
  const abi = [{ type: "event", name: "Ping", inputs: [{ name: "who", type: "address", indexed: true }] }]
  const address = `0x${"Ab".repeat(20)}`

  test("are added, replaced, listed and removed; one contract's come before those for any", async () => {
    expect(await post("/abis", { address: "any", name: "common", abi })).toMatchObject({
      status: 200,
      json: { entries: 1 },
    })
    expect((await post("/abis", { address, name: "mine", abi: [...abi, ...abi] })).json).toMatchObject({ entries: 2 })
    expect((await post("/abis", { address, name: "mine", abi })).json).toMatchObject({ entries: 1 })
    const { json } = await send("GET", `/abis/${address}`)
    expect(json.data).toMatchObject([
      { address: address.toLowerCase(), name: "mine", abi, created_by: "admin@127.0.0.1" },
      { address: "any", name: "common" },
    ])
    const first = (await send("GET", "/abis?limit=1")).json
    const second = (await send("GET", `/abis?limit=1&cursor=${first.next_cursor}`)).json
    expect([...first.data, ...second.data].map((one) => one.name)).toEqual(["common", "mine"])
    expect(second.next_cursor).toBeNull()
    expect((await send("DELETE", `/abis/${address}/mine`)).status).toBe(200)
    expect((await send("DELETE", `/abis/${address}/mine`)).status).toBe(404)
    expect((await audit("app")).map(({ action }) => action)).toEqual(["abi_add", "abi_add", "abi_add", "abi_remove"])
  })

  test("that are not valid, or too large, are refused", async () => {
    for (const wrong of [[], [{ type: "event", name: "<script>" }], [{ type: "event", name: "A", inputs: {} }]])
      expect(await post("/abis", { address: "any", name: "x", abi: wrong })).toMatchObject({ status: 400 })
    expect(await post("/abis", { address: "0x12", name: "x", abi })).toMatchObject({ status: 400 })
    const large = Array.from({ length: 20_000 }, () => abi[0])
    expect(await post("/abis", { address: "any", name: "x", abi: large })).toMatchObject({ status: 413 })
  })
})

describe("labels", () => {
  const [exchange, bridge] = [`0x${"Ab".repeat(20)}`, `0x${"cd".repeat(20)}`]
  const give = (labels: object) => post("/labels", { labels })
  const found = async (q: string) =>
    (await (await fetch(`${served.url}/v1/test/search?q=${encodeURIComponent(q)}`)).json()) as { data: object[] }

  test("are given, replaced, listed, found and removed, whatever the chain knows of their addresses", async () => {
    expect(await give({ [exchange]: " Some Exchange 7 ", [bridge]: "A Bridge" })).toMatchObject({
      ...{ status: 200, json: { chain: "test", given: 2, total: 2 } },
    })
    expect(await give({ [bridge]: "The Bridge" })).toMatchObject({ json: { given: 1, total: 2 } })
    const address = exchange.toLowerCase()
    const first = (await send("GET", "/labels?limit=1")).json
    const second = (await send("GET", `/labels?limit=1&cursor=${first.next_cursor}`)).json
    expect([...first.data, ...second.data]).toMatchObject([
      { address, label: "Some Exchange 7", created_by: "admin@127.0.0.1" },
      { address: bridge, label: "The Bridge" },
    ])
    expect(second.next_cursor).toBeNull()
    const labelled = { type: "account", address, label: "Some Exchange 7", name: null, transfer_count: null }
    expect((await found("exch")).data).toEqual([expect.objectContaining({ ...labelled, match: "word" })])
    expect((await found(address)).data).toEqual([expect.objectContaining({ ...labelled, match: "exact" })])
    expect((await found(address.slice(0, 8))).data).toEqual([
      expect.objectContaining({ ...labelled, match: "prefix" }),
    ])
    expect((await found("a bridge")).data).toEqual([])
    expect((await send("DELETE", `/labels/${exchange}`)).status).toBe(200)
    expect((await send("DELETE", `/labels/${exchange}`)).status).toBe(404)
    expect((await send("DELETE", `/labels/${bridge}`)).status).toBe(200)
    expect((await found("bridge")).data).toEqual([])
    expect(await audit("app")).toMatchObject([
      { action: "label_add", details: { count: 2, labels: { [address]: "Some Exchange 7" } } },
      { action: "label_add" },
      { action: "label_remove", details: { labels: { [address]: "Some Exchange 7" } } },
      { action: "label_remove" },
    ])
  })

  test("are shown on accounts and beside what a token calls itself", async () => {
    const [account, token] = [`0x${"01".repeat(20)}`, `0x${"c0".repeat(20)}`]
    await give({ [account]: "Treasury", [token]: "Our Coin" })
    const get = async (path: string) =>
      (await fetch(`${served.url}/v1/test${path}`)).json() as Promise<{ data: object }>
    expect((await get(`/accounts/${account}`)).data).toMatchObject({ address: account, label: "Treasury" })
    expect((await found("our coin")).data).toMatchObject([{ type: "token", address: token, label: "Our Coin" }])
    await served.store.app.query("delete from app.address_labels")
    expect((await get(`/accounts/${account}`)).data).toMatchObject({ address: account, label: null })
  })

  test("that cannot be told apart, or too many, are refused", async () => {
    for (const wrong of ["", "   ", "x".repeat(101), "US\u200bDC", "\u202eCDSU", "two\nlines", "a\u0000"])
      expect(await give({ [bridge]: wrong })).toMatchObject({ status: 400 })
    expect(await give({ "0x12": "short" })).toMatchObject({ status: 400 })
    expect(await give({})).toMatchObject({ status: 400 })
    const many = (from: number, count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`0x${(from + at).toString(16).padStart(40, "0")}`, "L"]),
      )
    expect(await give(many(0, 1_001))).toMatchObject({ status: 400 })
    await served.store.app.query(
      `insert into app.address_labels (address, label, created_by)
       select decode(lpad(to_hex(at), 40, '0'), 'hex'), 'L', 'x' from generate_series(1, 99999) as at`,
    )
    expect(await give(many(100_000, 2))).toMatchObject({ status: 400 })
    expect(await give(many(100_000, 1))).toMatchObject({ status: 200, json: { total: 100_000 } })
    await served.store.app.query("delete from app.address_labels")
  })
})

describe("a rollback", () => {
  const plan = async (to: string) => (await post("/test/rollback/plan", { to })).json
  const execute = (to: string, confirmation: string) =>
    post("/test/rollback", { to, confirmation, reason: "a bad node" })

  test("needs a confirmation of the present state, and does what was planned", async () => {
    const planned = await plan("15")
    expect(planned).toMatchObject({ to: "15", highest: "19", blocks: 4, halt: null })
    expect(planned.workers).toContainEqual({ worker: "evm_worker", blocks: 4 })
    expect(planned.workers.map(({ worker }: { worker: string }) => worker)).not.toContain("raw_ingester")
    const other = await plan("16")
    const confirmation = planned.confirmation
    for (const wrong of [other.confirmation, `${confirmation.slice(0, -2)}AA`, `1${confirmation}`])
      expect(await execute("15", wrong)).toMatchObject({ status: 409, json: { error: { code: "CONFIRMATION_VOID" } } })
    // Another halt, and the person should look again.
    await served.store.raw.query("update raw.chain_state set halt_reason = 'deep'")
    expect(await execute("15", confirmation)).toMatchObject({ status: 409 })
    await served.store.raw.query("update raw.chain_state set halt_reason = null")
    expect((await served.store.raw.query("select 1 from raw.blocks where height > 15")).rows).toHaveLength(4)
    expect(await execute("15", confirmation)).toMatchObject({ status: 200, json: { done: true, blocks: 4 } })
    expect((await served.store.raw.query("select 1 from raw.blocks where height > 15")).rows).toEqual([])
    expect((await served.store.app.query("select 1 from app.evm_transactions where block_height > 15")).rows).toEqual(
      [],
    )
    expect(await audit("raw")).toMatchObject([
      { actor: "admin@127.0.0.1", action: "rollback", details: { to: 15, blocks: 4, reason: "a bad node" } },
    ])
    const [done] = (await served.get("/v1/test/ops/rollbacks")).json.data
    expect(done).toMatchObject({ state: "done", removed_from: "16", highest_height: "19", actor: "admin@127.0.0.1" })
    // Of times that are known to the microsecond, and shown to the millisecond.
    const shownMs = Date.parse(done.created_at) - Date.parse(done.opened_at)
    expect(Math.abs(done.took_ms - shownMs)).toBeLessThanOrEqual(1)
    expect(done.took_ms).toBeGreaterThan(0)
    // It was good for one epoch.
    expect((await execute("15", confirmation)).status).toBe(404)
    expect(await execute("14", (await plan("14")).confirmation)).toMatchObject({ status: 200 })
  })

  test("that is open and has not begun can be cancelled", async () => {
    expect(await post("/test/rollback/cancel")).toMatchObject({ status: 404 })
    await served.store.raw.query(
      `update raw.chain_state set intent_id = gen_random_uuid(), intent_epoch = chain_epoch + 1, intent_removed = '[12,)',
         intent_ancestor_hash = '\\x01', intent_reason = 'test'`,
    )
    expect(await post("/test/rollback/cancel")).toMatchObject({ status: 200, json: { from: "12", cancelled: true } })
    expect((await served.store.raw.query("select 1 from raw.blocks where height >= 12")).rows).not.toEqual([])
    expect(await audit("app")).toMatchObject([{ action: "rollback cancel", actor: "admin@127.0.0.1" }])
  })
})
