import { afterAll, beforeAll, expect, test } from "vitest"
import { evmFamily } from "../../src/families/evm/evm-family.js"
import { type DeriveStore, openDeriveStore } from "../support/derive-store.js"
import { EventStream } from "../support/event-stream.js"
import { livelyBlocks } from "../support/lively-blocks.js"
import { runTidemark, type TidemarkProcess } from "../support/tidemark-process.js"

let store: DeriveStore
const processes: TidemarkProcess[] = []

beforeAll(async () => {
  store = await openDeriveStore(livelyBlocks({ seed: 3, from: 0, to: 5 }), {
    workers: evmFamily.workers,
    twoDatabases: true,
  })
}, 60_000)
afterAll(async () => {
  for (const one of processes) await one.end("SIGKILL")
  await store.close()
})

async function serve(): Promise<{ process: TidemarkProcess; url: string }> {
  const process = runTidemark(["start", "--roles", "serve"], {
    env: { RPC_URL: "http://127.0.0.1:1", DB_RAW_URL: store.rawUrl, DB_APP_URL: store.appUrl, PORT: "0" },
  })
  processes.push(process)
  const { url } = await process.line(({ msg }) => msg === "listening")
  return { process, url: `${url as string}/v1/stream?chain=test` }
}

let told = 0
const tell = async (entries: number): Promise<void> => {
  await store.app.query(
    `insert into app.outbox (id, kind, epoch, payload) select gen_random_uuid(), 'block', 0,
       jsonb_build_object('number', $1::int4 + at) from generate_series(1, $2::int4) as at order by at`,
    [told, entries],
  )
  told += entries
}

const numbers = ({ events }: EventStream): unknown[] =>
  events.filter(({ event }) => event === "block").map(({ data }) => data["number"])

test("a process that only serves may be killed and stopped: who follows it misses nothing and sees nothing twice", async () => {
  const seen: unknown[] = []
  let lastEventId = ""
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    // Asked as soon as it listens, before it has opened the chain.
    const { process, url } = await serve()
    const stream = await EventStream.open(url, { lastEventId })
    await stream.until(() => stream.lastEventId !== "")
    const before = seen.length
    await tell(20)
    await stream.until(() => before + numbers(stream).length >= told)
    await tell(20)
    await process.end(signal)
    await stream.ended()
    seen.push(...numbers(stream))
    lastEventId = stream.lastEventId
    await tell(20)
  }
  const { url } = await serve()
  const stream = await EventStream.open(url, { lastEventId })
  await stream.until(() => seen.length + numbers(stream).length >= told)
  expect([...seen, ...numbers(stream)]).toEqual(Array.from({ length: told }, (_, at) => at + 1))
  const metrics = await (await fetch(new URL("/metrics", url))).text()
  expect(metrics).toContain("tidemark_streams_open 1")
  expect(metrics).toContain("tidemark_streams_cut_total 0")
}, 120_000)
