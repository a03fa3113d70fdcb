// What clients of the API meet: a million transactions, half a thousand requests a second over all kinds of routes, and a head
// that grows meanwhile; then as many requests as it can answer, and what else may stand in the way.

import { cpus } from "node:os"
import { join } from "node:path"
import { Connection } from "../../src/postgres/connection.js"
import { EventStream } from "../../test/support/event-stream.js"
import type { ListValues } from "../../test/support/list-cases.js"
import { runTidemark, type TidemarkProcess } from "../../test/support/tidemark-process.js"
import { type ApiRequests, apiRequests } from "../environment/api-requests.js"
import { type ApiStore, openApiStore, partitionEnv } from "../environment/api-store.js"
import { type BenchChain, startChain } from "../environment/standard-chain.js"
import { onStop } from "../environment/stop-all.js"
import { abuseHttp } from "../measure/abuse-http.js"
import { connections, type Driven, driveApi } from "../measure/drive-api.js"
import { explainLists } from "../measure/explain-lists.js"
import { machineCpuS, rssMb, serverCpuS } from "../measure/process-times.js"
import { saturateApi } from "../measure/saturate-api.js"
import { quantile } from "../measure/statistics.js"
import { type HeadsWatch, watchHeads } from "../measure/watch-heads.js"
import type { Table } from "../report/render-table.js"
import type { Benchmark } from "./benchmark.js"

const blockMs = 500
/** Of half an hour. */
const heads = 4_000
/** Times the usual one. */
const rates = [1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6]
const mostP99Ms = 100
const honestRate = 200
/** Who wait for an answer before they ask again. */
const clients = 20
/** Of a short run. */
const little = 0.1
const atOnce = 50

interface Row {
  readonly what: string
  readonly driven: Driven
  readonly nodeMs: number | undefined
  readonly postgresMs: number | undefined
  readonly headP99Ms: number | undefined
  /** Of all processors, what anybody took. */
  readonly busy: number
}

export const apiBenchmark: Benchmark = {
  title: "API",
  async run({ blocks: asked, seconds: usual, keep, say }) {
    // A short run, while something is being tried, is not worth a million transactions.
    const blocks = asked >= 10_000 ? 20_000 : asked
    const [seconds, part] = asked >= 10_000 ? [usual, 1] : [10, little]
    const [rate, slowSockets, streamCount] = [500 * part, 500 * part, 1_000 * part]
    const options = {
      ...{ blocks: blocks + heads, startHead: blocks, finality: 32 },
      ...{ disk: true, cacheDir: join(keep, "chain"), cacheMb: 512 },
    }
    const still = await startChain(options)
    const store = await openApiStore({ blocks, rpcUrl: still.url, keep, say })
    await still.stop()
    const url = await store.copy("bench_api")
    const chain = await startChain({ ...options, blockMs })
    const served = await startProduct(url, chain)
    const connection = await Connection.open({ url, applicationName: "tidemark bench" })
    onStop(async () => connection.destroy())
    const name = "evm-1337"
    const requests = await apiRequests({ store: connection, chain: name, blocks, seed: 1 })
    const watch = await watchHeads({ wsUrl: chain.wsUrl, databaseUrl: url })
    onStop(() => watch.stop())
    const deps = { url: served.url, pid: served.process.pid, postgresPid: store.pid, requests, watch, say }
    // Until its caches are as those of a server that has been running for a while.
    await driveApi({ ...deps, rate: rate * 0.6, seconds: seconds / 2 })
    const idle = await idleCpu(deps)
    say(`without requests: ${idle.map((cpu) => cpu.toFixed(2)).join(" and ")} CPU seconds a second`)
    const run = (what: string, more: { rate: number; seconds: number }) =>
      measured(what, { ...deps, idle }, () => driveApi({ ...deps, ...more }))
    const rows: Row[] = []
    let highest: number | undefined
    for (const next of rates.map((times) => times * rate)) {
      const within = next === rate ? seconds : seconds / 4
      const row = await run(`${next.toLocaleString("en")} requests a second`, { rate: next, seconds: within })
      rows.push(row)
      if (row.driven.p99 >= mostP99Ms || row.driven.failed > 0) break
      highest = next
    }
    rows.push(
      await measured(`${clients} clients, as fast as they are answered`, { ...deps, idle }, () =>
        saturateApi({ ...deps, clients, seconds: seconds / 4 }),
      ),
    )
    const abuse = abuseHttp({ port: Number(new URL(served.url).port), sockets: slowSockets })
    rows.push(
      await run(`${slowSockets} slow sockets and 10 MB bodies beside`, {
        rate: honestRate * part,
        seconds: seconds / 2,
      }),
    )
    abuse.stop()
    const streams = await measureStreams(url, streamCount)
    const backfill = await startBackfill(store, chain)
    rows.push(await run(`${rate} requests a second beside a backfill`, { rate, seconds: seconds / 2 }))
    await backfill.end("SIGTERM")
    const { plans, wrong } = await explainLists(connection, { blocks, values: await sampleValues(connection) })
    if (wrong.length > 0) say(`plans that are not good:\n${wrong.join("\n")}`)
    await watch.stop()
    await served.process.end("SIGTERM")
    return {
      tables: [table(rows)],
      notes: [
        `${(blocks * 50).toLocaleString("en")} transactions in ${blocks.toLocaleString("en")} blocks, in partitions of a fifth of them, while one process with all roles stores and derives two blocks of 50 transactions a second. ${connections} connections; the requests are lists and single things in the proportions of an explorer. Times count from when a request was due. CPU is for each request, without the ${idle[0].toFixed(2)} and ${idle[1].toFixed(2)} seconds a second that the process and Postgres take without requests; the program that asks, the node and the watch of the head take more of the same two cores. Head lag is from the node's announcement until all derived rows of the block can be queried.`,
        `The highest rate with p99 under ${mostP99Ms} ms: ${highest === undefined ? "none of these" : `${highest.toLocaleString("en")} requests a second`}. The slow sockets were closed ${abuse.ended.slow} times, and ${abuse.ended.bodies} bodies were refused.`,
        `${streamCount.toLocaleString("en")} open streams took ${streams.toFixed(0)} MB of resident memory, of a process with the role serve that answers nothing else.`,
        `The backfill is a second process that stores and derives the same chain into another database of the same server, as fast as it can.`,
        `${plans} plans of lists were looked at, ${wrong.length === 0 ? "and all of them use an index and only the partitions of the asked heights" : `and these are not good: ${wrong.join("; ")}`}.`,
        "Goals: p99 under 50 ms at 500 requests a second, head lag p99 under 1 s, 1,000 streams under 100 MB, p99 under 300 ms beside slow sockets and large bodies.",
      ],
    }
  },
}

interface Deps {
  readonly url: string
  readonly pid: number
  readonly postgresPid: number
  readonly requests: ApiRequests
  readonly watch: HeadsWatch
  readonly say: (text: string) => void
}

interface Served {
  readonly process: TidemarkProcess
  readonly url: string
}

const startProduct = (databaseUrl: string, chain: BenchChain): Promise<Served> =>
  start(["--rpc", `${chain.url},${chain.wsUrl}`, "--start-block", "0"], { DB_RAW_URL: databaseUrl })

async function start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Served> {
  const process = runTidemark(["start", ...args], { env: { PORT: "0", API_STREAMS: "1200", ...env } })
  onStop(async () => void (await process.end("SIGKILL")))
  const line = (await process.line(({ msg }) => msg.startsWith("running"))) as unknown as { url: string }
  return { process, url: line.url }
}

/** CPU seconds a second, of the process and of Postgres. */
async function idleCpu({ pid, postgresPid }: Deps): Promise<readonly [number, number]> {
  const seconds = 10
  const before = [serverCpuS(pid), serverCpuS(postgresPid)] as const
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  return [(serverCpuS(pid) - before[0]) / seconds, (serverCpuS(postgresPid) - before[1]) / seconds]
}

async function measured(
  what: string,
  { pid, postgresPid, watch, idle, say }: Deps & { readonly idle: readonly [number, number] },
  drive: () => Promise<Driven>,
): Promise<Row> {
  const cpu = () => ({ node: serverCpuS(pid), postgres: serverCpuS(postgresPid), machine: machineCpuS() })
  const before = { ...cpu(), heads: watch.delays.length }
  const began = performance.now()
  const driven = await drive()
  const after = cpu()
  const passed = (performance.now() - began) / 1_000
  const perRequest = (cpu: number, idleRate: number) => ((cpu - idleRate * passed) / driven.answered) * 1_000
  const lags = watch.delays.slice(before.heads).map(({ derivedMs }) => derivedMs)
  const row = {
    ...{ what, driven },
    nodeMs: perRequest(after.node - before.node, idle[0]),
    postgresMs: perRequest(after.postgres - before.postgres, idle[1]),
    busy: (after.machine - before.machine) / passed / cpus().length,
    headP99Ms: lags.length > 0 ? quantile(lags, 0.99) : undefined,
  }
  say(`${what}: p50 ${driven.p50.toFixed(0)} ms, p99 ${driven.p99.toFixed(0)} ms, ${driven.answered} answered`)
  return row
}

/**
 * Resident memory that they add, in MB. Of a process of their own: one that has just been busy gives memory back meanwhile,
 * and the difference would say nothing.
 */
async function measureStreams(databaseUrl: string, count: number): Promise<number> {
  const { process, url } = await start(["--roles", "serve"], { DB_RAW_READ_URL: databaseUrl })
  const open: EventStream[] = []
  const openTo = async (most: number): Promise<void> => {
    while (open.length < most) {
      const next = Array.from({ length: Math.min(atOnce, most - open.length) }, () =>
        EventStream.open(`${url}/v1/stream`),
      )
      open.push(...(await Promise.all(next)))
    }
    await Promise.all(open.map((stream) => stream.until(() => stream.events.length > 2, 60_000)))
  }
  // What the first ones make, all have.
  await openTo(atOnce)
  const before = rssMb(process.pid)
  await openTo(atOnce + count)
  const after = rssMb(process.pid)
  for (const stream of open) stream.close()
  await process.end("SIGTERM")
  return after - before
}

async function startBackfill(store: ApiStore, chain: BenchChain): Promise<TidemarkProcess> {
  const env = { DB_RAW_URL: await store.empty("bench_api_backfill"), PORT: "0", ...partitionEnv(20_000) }
  const args = ["start", "--rpc", chain.url, "--start-block", "0", "--roles", "ingest,work"]
  const process = runTidemark(args, { env })
  onStop(async () => void (await process.end("SIGKILL")))
  await process.line(({ msg }) => msg.startsWith("running"))
  return process
}

/** What lists are asked about, of things that there are. */
async function sampleValues(store: Connection): Promise<ListValues> {
  const { rows } = await store.query<ListValues & Record<string, string>>(
    `select '0x' || encode(transaction_id, 'hex') as hash, '0x' || encode(from_address, 'hex') as address,
       block_height::text as lookup_height, transaction_index::text as lookup_index, block_height::text as block,
       block_height::text as at,
       (select '0x' || encode(contract_address, 'hex') from app.ft_tokens limit 1) as contract,
       (select '0x' || encode(topic0, 'hex') from app.evm_logs limit 1) as topic0
     from app.evm_transactions limit 1`,
  )
  return rows[0]!
}

function table(rows: readonly Row[]): Table {
  const text = (value: number | undefined, digits = 0): string => (value === undefined ? "" : value.toFixed(digits))
  return {
    columns: [
      ...["", "answered", "failed", "p50 ms", "p99 ms", "p99.9 ms", "longest ms"],
      ...["process CPU ms", "Postgres CPU ms", "head lag p99 ms", "machine busy"],
    ],
    rows: rows.map(({ what, driven, nodeMs, postgresMs, headP99Ms, busy }) => [
      ...[
        what,
        driven.answered.toLocaleString("en"),
        text(driven.failed),
        text(driven.p50),
        text(driven.p99),
        text(driven.p999),
      ],
      ...[text(driven.longest), text(nodeMs, 2), text(postgresMs, 2), text(headP99Ms), `${(busy * 100).toFixed(0)} %`],
    ]),
  }
}
