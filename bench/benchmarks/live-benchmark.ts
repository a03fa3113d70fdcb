// How long a new block takes from the node's announcement until all derived rows of it can be queried, while history fills
// beside it all the time: the chain has far more history than the process can do in the time that is measured.

import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rawIngester } from "../../src/coordination/raw-ingester.js"
import { systemClock } from "../../src/platform/clock.js"
import { freePort } from "../../src/platform/free-port.js"
import { Connection } from "../../src/postgres/connection.js"
import { startDemo } from "../environment/demo-chain.js"
import { startPacedNode } from "../environment/paced-node.js"
import { type BenchChain, startLiveChain } from "../environment/standard-chain.js"
import { onStop } from "../environment/stop-all.js"
import { quantile } from "../measure/statistics.js"
import { type HeadDelay, watchHeads } from "../measure/watch-heads.js"
import type { Table } from "../report/render-table.js"
import type { Benchmark, BenchmarkInput, BenchmarkReport } from "./benchmark.js"

/** Left out: the tip has just been reached. */
const warmUpHeads = 10
/** Made while the process starts. */
const spareHeads = 120
const lookEveryMs = 1_000
const program = join(import.meta.dirname, "..", "..", "bin", "tidemark.js")
/** More would take the afternoon. */
const mostHeads = 1_000

/** Of the demo chain; the node takes a minute or two to make them, once, and a gigabyte to keep them. */
const demoHistory = 4_000
const demoBlockMs = 250
/** Heights so far below the head are history: the node says that they are final. */
const finality = 64
const denseBlockMs = 500

export const liveBenchmark: Benchmark = {
  title: "Live deriving",
  async run({ blocks, say, ...input }) {
    const heads = Math.min(blocks, mostHeads)
    const chain = await startDemo({ historyBlocks: demoHistory, blockMs: demoBlockMs, say })
    const seconds = ((heads + warmUpHeads + spareHeads) * demoBlockMs) / 1_000
    const blocksPerSecond = demoHistory / seconds
    const url = await startPacedNode({ url: chain.url, below: demoHistory - finality, blocksPerSecond })
    return measure(
      { ...chain, url },
      {
        ...input,
        say,
        heads,
        about: `The demo chain (anvil and the demo's traffic: 0 to 40 transactions a block, 8 on average), four blocks a second, after a past of ${demoHistory.toLocaleString("en")} blocks of 12 on average, which the node is asked for no faster than ${blocksPerSecond.toFixed(0)} blocks a second, so that they last`,
      },
    )
  },
}

export const liveDenseBenchmark: Benchmark = {
  title: "Live deriving, dense blocks",
  async run({ blocks, ...input }) {
    const heads = Math.min(blocks, mostHeads)
    const chain = await startLiveChain({ heads: heads + warmUpHeads + spareHeads, blockMs: denseBlockMs })
    return measure(chain, {
      ...input,
      heads,
      about:
        "Blocks of 50 transactions and 60 logs, two a second, and more history below than can be filled in the time",
    })
  },
}

interface Measuring extends Omit<BenchmarkInput, "blocks" | "rounds"> {
  readonly heads: number
  readonly about: string
}

async function measure(chain: BenchChain, { postgres, heads, about, say }: Measuring): Promise<BenchmarkReport> {
  const directory = await mkdtemp(join(tmpdir(), "tidemark-bench-live-"))
  onStop(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
  const databaseUrl = await postgres.freshDatabase()
  const child = spawn(process.execPath, [program, "start", "--rpc", `${chain.url},${chain.wsUrl}`], {
    cwd: directory,
    env: {
      ...process.env,
      DB_RAW_URL: databaseUrl,
      LOG_FORMAT: "json",
      PORT: String(await freePort()),
    },
    stdio: ["ignore", "ignore", "inherit"],
  })
  onStop(async () => void child.kill("SIGKILL"))
  const connection = await Connection.open({ url: databaseUrl, applicationName: "tidemark bench" })
  onStop(async () => connection.destroy())
  await untilFollowing(child, connection)
  const watch = await watchHeads({ wsUrl: chain.wsUrl, databaseUrl })
  onStop(() => watch.stop())

  const began = performance.now()
  const before = await readHistory(connection)
  let filling = 0
  let looks = 0
  for (let nextSay = 0; watch.delays.length < warmUpHeads + heads; looks++) {
    await systemClock.sleep(lookEveryMs)
    if (child.exitCode !== null) throw new Error("the product ended")
    const { raw, derived, total } = await readHistory(connection)
    if (raw < total && derived < total) filling++
    if (looks < nextSay) continue
    nextSay = looks + 10
    say(
      `${watch.delays.length} heads, history ${raw.toLocaleString("en")} stored and ${derived.toLocaleString("en")} derived of ${total.toLocaleString("en")}`,
    )
  }
  const seconds = (performance.now() - began) / 1_000
  const after = await readHistory(connection)
  await watch.stop()
  child.kill("SIGTERM")
  await connection.end()
  await chain.stop()
  const delays = watch.delays.slice(warmUpHeads)
  const rate = (pick: (history: History) => number): string => ((pick(after) - pick(before)) / seconds).toFixed(0)
  return {
    tables: [delayTable(delays)],
    notes: [
      `${about}. Seen by a reader of the database that looks every 5 ms from the node's announcement on; the first ${warmUpHeads} are left out. Goal: p99 within 250 ms.`,
      `History was filling beside it, both raw and derived, for ${((100 * filling) / looks).toFixed(0)} % of the time: ${rate(({ raw }) => raw)} blocks a second stored and ${rate(({ derived }) => derived)} derived, by the same process and the same Postgres.`,
    ],
  }
}

interface History {
  /** Heights stored, derived by all, and there are. */
  readonly raw: number
  readonly derived: number
  readonly total: number
}

async function readHistory(connection: Connection): Promise<History> {
  const {
    rows: [row],
  } = await connection.query<{ raw: string; derived: string; total: string }>(
    `with sizes as (
       select worker_type, (select coalesce(sum(upper(h) - lower(h)), 0) from unnest(heights) as h) as size
       from app.coverage where worker_type <> $1
     )
     select (select coalesce(sum(upper(h) - lower(h)), 0) from raw.coverage, unnest(heights) as h where worker_type = $1) as raw,
       coalesce((select min(size) from sizes), 0) as derived,
       (select coalesce(head_height, 0) + 1 - start_height from raw.chain_state) as total`,
    [rawIngester],
  )
  return { raw: Number(row?.raw ?? 0), derived: Number(row?.derived ?? 0), total: Number(row?.total ?? 0) }
}

async function untilFollowing(child: ChildProcess, connection: Connection): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error("the product ended before it began")
    const { derived } = await readHistory(connection)
    if (derived > 100) return
    await systemClock.sleep(200)
  }
}

function delayTable(delays: readonly HeadDelay[]): Table {
  const row = (name: string, values: readonly number[]): string[] => [
    name,
    String(values.length),
    ...[0.5, 0.95, 0.99, 0.999].map((part) => quantile(values, part).toFixed(0)),
    Math.max(...values).toFixed(0),
  ]
  return {
    columns: ["ms from the announcement until", "blocks", "p50", "p95", "p99", "p99.9", "longest"],
    rows: [
      row(
        "stored",
        delays.map(({ storedMs }) => storedMs),
      ),
      row(
        "derived, all workers",
        delays.map(({ derivedMs }) => derivedMs),
      ),
    ],
  }
}
