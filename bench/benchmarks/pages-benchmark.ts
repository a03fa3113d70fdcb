// What people meet in a browser, over a million transactions: from a click to rows, from a key to the next frame, the console's
// map while one zooms, and the memory of a page that follows a chain.

import { join } from "node:path"
import { chromium } from "playwright-core"
import { Connection } from "../../src/postgres/connection.js"
import { findChromium } from "../../test/web/find-chromium.js"
import { openApiStore } from "../environment/api-store.js"
import { servePages } from "../environment/serve-pages.js"
import { startChain } from "../environment/standard-chain.js"
import { onStop } from "../environment/stop-all.js"
import { interactWithPages } from "../measure/interact-with-pages.js"
import { type Navigations, navigatePages } from "../measure/navigate-pages.js"
import { quantile } from "../measure/statistics.js"
import { type MemorySample, watchPageMemory } from "../measure/watch-page-memory.js"
import { type Zoomed, zoomMap } from "../measure/zoom-map.js"
import type { Table } from "../report/render-table.js"
import type { Benchmark } from "./benchmark.js"

const blockMs = 500
/** As the API's benchmark has it: both use the same kept store. */
const heads = 4_000
/** Of a chain with a block every 12 seconds. */
const blocksPerHour = 300
const visitsPerRound = 10

export const pagesBenchmark: Benchmark = {
  title: "Pages",
  async run({ blocks: asked, rounds, seconds, keep, say }) {
    const executablePath = findChromium()
    if (!executablePath) throw new Error("there is no Chromium: install one, or name it in CHROMIUM")
    // A short run, while something is being tried, is not worth a million transactions.
    const blocks = asked >= 10_000 ? 20_000 : asked
    const options = {
      ...{ blocks: blocks + heads, startHead: blocks, finality: 32 },
      ...{ disk: true, cacheDir: join(keep, "chain"), cacheMb: 512 },
    }
    const still = await startChain(options)
    const store = await openApiStore({ blocks, rpcUrl: still.url, keep, say })
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
    onStop(() => browser.close())
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } })

    // A chain that stands still, and whose workers have 120,000 stretches of one height each.
    const mapUrl = await store.copy("bench_pages_map")
    const ranges = await shatter(mapUrl, blocks)
    const broken = await servePages({ databaseUrl: mapUrl, rpc: still.url, roles: "serve" })
    say(`the map of ${ranges.toLocaleString("en")} ranges`)
    const zoomed = await zoomMap(page, { ...broken, seconds: Math.max(5, seconds / 6) })
    await page.goto("about:blank")
    await broken.process.end("SIGTERM")
    await still.stop()

    const chain = await startChain({ ...options, blockMs })
    const served = await servePages({
      databaseUrl: await store.copy("bench_pages"),
      rpc: `${chain.url},${chain.wsUrl}`,
    })
    const visit = { ...served, blocks }
    // Until its caches are as those of a server that has been running for a while.
    await navigatePages(page, { ...visit, rounds: 2 })
    say("navigation")
    const navigations = await navigatePages(page, { ...visit, rounds: rounds * visitsPerRound })
    say("interaction")
    const interactions = await interactWithPages(page, { ...served, rounds })
    say("memory")
    await page.goto(`${served.url}/${served.chain}`)
    await page.locator("table tbody [data-row]").first().waitFor()
    const samples = await watchPageMemory(page, {
      ...{ seconds: (blocksPerHour * (blockMs / 1_000) * seconds) / 60, samples: 10 },
      headOf: () => headOf(served.url),
    })
    await served.process.end("SIGTERM")
    const told = samples.at(-1)!.head - samples[0]!.head
    return {
      tables: [timesTable(navigations, interactions), mapTable(zoomed, ranges), memoryTable(samples)],
      notes: [
        `${(blocks * 50).toLocaleString("en")} transactions in ${blocks.toLocaleString("en")} blocks; Chromium, the process with all roles, Postgres and the node share the machine. Two blocks of 50 transactions a second are stored and derived meanwhile. Milliseconds.`,
        "Navigation is from the click to the frame in which rows that were not there before are painted, without the head start that hovering gives. A load is from entering an address, with the files of the pages in the browser's cache. Interaction is from a key or a click to the next frame, by the browser's Event Timing, in steps of 8 ms; what took less than 16 ms counts as 16.",
        `The map has 12 workers with ${ranges.toLocaleString("en")} stretches of one height each together, which wheel events zoom in and out on every frame. A frame is 16.7 ms where nothing is late.`,
        `Memory is of one page that shows the newest blocks and transactions for ${samples.at(-1)!.seconds.toFixed(0)} s: the JavaScript heap after a collection, and the nodes of the document. It was told of ${told.toLocaleString("en")} blocks; a chain with a block every 12 s has ${blocksPerHour} in an hour, so time is compressed.`,
        `Goals: navigation at p95 within 300 ms, interaction within 100 ms, 60 frames a second, and a heap that does not grow. It went ${growthOf(samples)}.`,
      ],
    }
  },
}

/** Every other height of every worker is missing. How many ranges they have together. */
async function shatter(url: string, blocks: number): Promise<number> {
  const connection = await Connection.open({ url, applicationName: "tidemark bench" })
  const every = `(select range_agg(int8range(height, height + 1)) from generate_series(0, $1::int8 - 1, 2) height)`
  let ranges = 0
  for (const schema of ["raw", "app"]) {
    await connection.query(`update ${schema}.coverage set heights = ${every}`, [blocks])
    const { rows } = await connection.query<{ count: string }>(
      `select count(*) from ${schema}.coverage where worker_type <> 'raw_ingester' or '${schema}' = 'raw'`,
    )
    ranges += Number(rows[0]!.count) * Math.ceil(blocks / 2)
  }
  await connection.end()
  return ranges
}

async function headOf(url: string): Promise<number> {
  const { chains } = (await (await fetch(`${url}/status`)).json()) as {
    chains: readonly { stored_head_height: string }[]
  }
  return Number(chains[0]!.stored_head_height)
}

const timesOf = (what: string, times: readonly number[], goal = ""): readonly string[] => [
  ...[what, times.length.toLocaleString("en")],
  ...[0.5, 0.95, 0.99].map((q) => (times.length > 0 ? quantile(times, q).toFixed(0) : "")),
  goal,
]

const timesTable = ({ clicks, loads, byKind }: Navigations, interactions: readonly number[]): Table => ({
  columns: ["", "count", "p50", "p95", "p99", "goal"],
  rows: [
    timesOf("navigation to rows", clicks, "p95 <= 300"),
    ...[...byKind].map(([kind, times]) => timesOf(`… ${kind}`, times)),
    timesOf("load to rows", loads),
    timesOf("interaction", interactions, "<= 100"),
  ],
})

const mapTable = ({ perSecond, frameMs }: Zoomed, ranges: number): Table => ({
  columns: ["map", "frames a second", "frame p50", "frame p95", "frame p99", "goal"],
  rows: [
    [
      ...[`${ranges.toLocaleString("en")} ranges`, perSecond.toFixed(1)],
      ...[0.5, 0.95, 0.99].map((q) => quantile(frameMs, q).toFixed(1)),
      "60",
    ],
  ],
})

const memoryTable = (samples: readonly MemorySample[]): Table => ({
  columns: ["after s", "blocks told", "heap MB", "nodes"],
  rows: samples.map(({ seconds, head, heapMb, nodes }) => [
    ...[seconds.toFixed(0), String(head - samples[0]!.head), heapMb.toFixed(1), nodes.toLocaleString("en")],
  ]),
})

/** From the second of the samples: the first has what the start left behind. */
function growthOf(samples: readonly MemorySample[]): string {
  const [, first] = samples
  const last = samples.at(-1)!
  return `from ${first!.heapMb.toFixed(1)} to ${last.heapMb.toFixed(1)} MB`
}
