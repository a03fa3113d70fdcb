import { afterAll, beforeAll, expect, test } from "vitest"
import { evmFamily } from "../../src/families/evm/evm-family.js"
import { type DeriveStore, openDeriveStore } from "../support/derive-store.js"
import { livelyBlocks } from "../support/lively-blocks.js"
import { runTidemark, type TidemarkProcess } from "../support/tidemark-process.js"

let store: DeriveStore
let served: TidemarkProcess
let url: string

beforeAll(async () => {
  store = await openDeriveStore(livelyBlocks({ seed: 3, from: 0, to: 20 }), {
    workers: evmFamily.workers,
    twoDatabases: true,
  })
  await store.deriveAll()
  served = runTidemark(["start", "--roles", "serve"], {
    // Nothing listens there: the role needs no node.
    env: { RPC_URL: "http://127.0.0.1:1", DB_RAW_URL: store.rawUrl, DB_APP_URL: store.appUrl, PORT: "0" },
  })
  const running = await served.line(({ msg }) => msg.startsWith("running"))
  url = running["url"] as string
}, 60_000)
afterAll(async () => {
  await served.end("SIGTERM")
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

test("it writes nothing, not even that it runs", async () => {
  const { rows } = await store.raw.query("select 1 from raw.processes")
  expect(rows).toEqual([])
})
