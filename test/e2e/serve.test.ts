import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { evmFamily } from "../../src/families/evm/evm-family.js"
import { answerCalls, type RpcServer, startRpcServer } from "../fixtures/evm/rpc-server.js"
import { type DeriveStore, openDeriveStore } from "../support/derive-store.js"
import { livelyBlocks } from "../support/lively-blocks.js"
import { runTidemark, type TidemarkProcess } from "../support/tidemark-process.js"

let store: DeriveStore
let served: TidemarkProcess
let url: string
let node: RpcServer
const gasPrice = "0x3b9aca00"

beforeAll(async () => {
  store = await openDeriveStore(livelyBlocks({ seed: 3, from: 0, to: 20 }), {
    workers: evmFamily.workers,
    twoDatabases: true,
  })
  await store.deriveAll()
  const { rows } = await store.raw.query<{ chain_id: string }>("select chain_id from raw.chain_state")
  const chainId = `0x${BigInt(rows[0]!.chain_id).toString(16)}`
  node = await startRpcServer(answerCalls(({ method }) => (method === "eth_chainId" ? chainId : gasPrice)))
  served = runTidemark(["start", "--roles", "serve"], {
    env: {
      ...{ RPC_URL: node.url, RPC_MAX_RPS: "100", API_NODE_METHODS: "eth_gasPrice" },
      ...{ DB_RAW_URL: store.rawUrl, DB_APP_URL: store.appUrl, PORT: "0" },
    },
  })
  const running = await served.line(({ msg }) => msg.startsWith("running"))
  url = running["url"] as string
}, 60_000)
afterAll(async () => {
  await served.end("SIGTERM")
  await node.close()
  await store.close()
})

test("a process that only serves answers without a node, and says how far it is", async () => {
  const answer = await fetch(`${url}/v1/test/blocks?limit=2`)
  expect(await answer.json()).toMatchObject({
    data: [{ height: "19" }, { height: "18" }],
    meta: { data_watermark: "19", partial: false },
  })
  const account = await fetch(`${url}/v1/test/accounts/0x${"01".repeat(20)}`)
  expect(account.status).toBe(200)
  expect(node.requests).toEqual([])
})

test("its status, health and metrics come through the thread that owns the port", async () => {
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: "ok" })
  expect(await (await fetch(`${url}/status`)).json()).toMatchObject({
    chains: [{ chain: "test", stale: false }],
    starting: [],
  })
  const metrics = await fetch(`${url}/metrics`)
  expect(await metrics.text()).toContain("tidemark_watermark_height")
})

test("a process that has a reader's addresses alone answers everything, and can write nothing", async () => {
  const reader = `reader_${randomUUID().replaceAll("-", "")}`
  await store.app.query(`create role ${reader} login password 'p' in role tidemark_read`)
  const as = (address: string): string => Object.assign(new URL(address), { username: reader, password: "p" }).href
  // The store is not migrated to this release yet.
  const { rows: newest } = await store.app.query<{ version: number; row: string }>(
    `delete from app.schema_migrations where version = (select max(version) from app.schema_migrations)
     returning version, row_to_json(schema_migrations)::text as row`,
  )
  const reading = runTidemark(["start", "--roles", "serve"], {
    // Neither a node nor a database to write to; a token that would open the acts.
    env: {
      ...{ DB_RAW_READ_URL: as(store.rawUrl), DB_APP_READ_URL: as(store.appUrl), PORT: "0" },
      ADMIN_TOKEN: "a-token-of-enough-characters",
    },
  })
  try {
    await reading.line(({ code }) => code === "SCHEMA_OLDER")
    await store.app.query(
      "insert into app.schema_migrations select * from json_populate_record(null::app.schema_migrations, $1)",
      [newest[0]!.row],
    )
    const { url: own } = await reading.line(({ msg }) => msg.startsWith("running"))
    const get = async (path: string) => (await fetch(`${own}${path}`)).json() as Promise<Record<string, unknown>>
    const account = `accounts/0x${"01".repeat(20)}`
    for (const path of [
      "blocks",
      account,
      `${account}/holdings?at=7`,
      "search?q=7",
      "tables/ft_holdings",
      "stats/daily",
    ])
      expect(await get(`/v1/test/${path}`), path).toMatchObject({ meta: { data_watermark: "19" } })
    for (const what of ["leases", "leases/dead", "errors", "audit", "rollbacks", "workers", "processes", "providers"])
      expect(await get(`/v1/test/ops/${what}`), what).toMatchObject({ meta: { chain: "test" } })
    expect(await get("/graphql?query={_meta{watermark}}")).toEqual({ data: { _meta: { watermark: "19" } } })
    expect(await get("/api?module=proxy&action=eth_blockNumber")).toMatchObject({ result: "0x13" })
    const [status] = (await get("/status"))["chains"] as Record<string, string>[]
    const tips = { raw_tip_height: "19", worker_tip_height: "19", app_watermark_height: "19" }
    expect(status).toMatchObject(tips)
    expect(await get("/v1/test/coverage")).toMatchObject(tips)
    const act = await fetch(`${own}/admin/test/workers/token_worker/pause`, {
      ...{ method: "POST", headers: { authorization: "Bearer a-token-of-enough-characters" } },
    })
    expect(act.status).toBe(404)
  } finally {
    await reading.end("SIGTERM")
    await store.app.query(`drop role ${reader}`)
  }
  expect(reading.lines.filter(({ level }) => level === "error")).toEqual([])
})

test("it writes nothing, not even that it runs", async () => {
  const { rows } = await store.raw.query("select 1 from raw.processes")
  expect(rows).toEqual([])
})

test("what it asks of the node for its clients counts in RPC_MAX_RPS, of which it holds a share", async () => {
  const ask = async () => (await fetch(`${url}/api?module=proxy&action=eth_gasPrice`)).json()
  expect(await ask()).toMatchObject({ result: gasPrice })
  const held = async () => {
    await ask()
    const { rows } = await store.raw.query("select calls_per_second, wanted > 0 as used from raw.rate_shares")
    return rows
  }
  await expect.poll(held, { timeout: 20_000, interval: 500 }).toEqual([{ calls_per_second: 100, used: true }])
})
