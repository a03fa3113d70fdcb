// How long a block of the demo chain takes from the node's announcement until all derived rows are committed, while history
// fills beside it.

import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startDemoChain } from "../../src/demo/start-demo-chain.js"
import { systemClock } from "../../src/platform/clock.js"
import { silentLogger } from "../../src/platform/logger.js"
import { onStop } from "../environment/stop-all.js"
import type { Benchmark } from "./benchmark.js"

const historyBlocks = 1_000
const blockTimeMs = 500
const program = join(import.meta.dirname, "..", "..", "bin", "tidemark.js")

interface Histogram {
  readonly count: number
  /** Upper bound in seconds → how many took no longer. */
  readonly buckets: readonly (readonly [number, number])[]
}

export const liveBenchmark: Benchmark = {
  title: "Live deriving",
  async run({ postgres, blocks, say }) {
    const directory = await mkdtemp(join(tmpdir(), "tidemark-bench-live-"))
    onStop(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
    say(`making a demo chain with ${historyBlocks} blocks of history`)
    const chain = await startDemoChain({
      directory,
      historyBlocks,
      blockTimeMs,
      clock: systemClock,
      logger: silentLogger,
    })
    onStop(() => chain.stop())
    const port = 20_000 + (process.pid % 20_000)
    const child = spawn(process.execPath, [program, "start", "--rpc", `${chain.httpUrl},${chain.wsUrl}`], {
      cwd: directory,
      env: {
        ...process.env,
        DB_RAW_URL: await postgres.freshDatabase(),
        LOG_FORMAT: "json",
        PORT: String(port),
      },
      stdio: "ignore",
    })
    onStop(async () => void child.kill("SIGKILL"))
    const first = await untilDerived({ child, port, heads: 5 })
    let filling = 0
    let looks = 0
    let last = first
    while (last.derived.count - first.derived.count < blocks) {
      await systemClock.sleep(5_000)
      last = await look(port)
      looks++
      if (last.history < 1) filling++
      say(`${last.derived.count - first.derived.count} heads, history ${(last.history * 100).toFixed(0)} %`)
    }
    child.kill("SIGTERM")
    await chain.stop()
    const stored = difference(last.stored, first.stored)
    const derived = difference(last.derived, first.derived)
    const row = (name: string, histogram: Histogram) => [
      name,
      String(histogram.count),
      ...[0.5, 0.95, 0.99, 0.999].map((part) => quantile(histogram, part)),
    ]
    return {
      tables: [
        {
          columns: ["from the announcement until", "blocks", "p50", "p95", "p99", "p99.9"],
          rows: [row("stored", stored), row("derived, all workers", derived)],
        },
      ],
      notes: [
        `The demo chain, two blocks a second; quantiles are upper bounds of the histogram's buckets in ms; the first 5 heads after the start are left out. History was filling beside it for ${((100 * filling) / Math.max(1, looks)).toFixed(0)} % of the time. Goal: p99 within 250 ms.`,
      ],
    }
  },
}

interface Look {
  readonly stored: Histogram
  readonly derived: Histogram
  readonly history: number
}

async function untilDerived({
  child,
  port,
  heads,
}: {
  child: ChildProcess
  port: number
  heads: number
}): Promise<Look> {
  for (;;) {
    if (child.exitCode !== null) throw new Error("the product ended before it began")
    const seen = await look(port).catch(() => undefined)
    if (seen && seen.derived.count >= heads) return seen
    await systemClock.sleep(500)
  }
}

async function look(port: number): Promise<Look> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const history = /^tidemark_history_ratio\{.*\} (\S+)$/m.exec(text)
  return {
    stored: readHistogram(text, "tidemark_head_delay_seconds"),
    derived: readHistogram(text, "tidemark_derive_delay_seconds"),
    history: Number(history?.[1] ?? 0),
  }
}

function readHistogram(text: string, name: string): Histogram {
  const buckets = [...text.matchAll(new RegExp(`^${name}_bucket\\{le="([^"]+)".*\\} (\\d+)$`, "gm"))].map(
    ([, bound, count]) =>
      [bound === "+Inf" ? Number.POSITIVE_INFINITY : Number(bound), Number(count)] as const,
  )
  return { buckets, count: buckets.at(-1)?.[1] ?? 0 }
}

const difference = (later: Histogram, earlier: Histogram): Histogram => ({
  count: later.count - earlier.count,
  buckets: later.buckets.map(([bound, count], i) => [bound, count - (earlier.buckets[i]?.[1] ?? 0)] as const),
})

function quantile({ buckets, count }: Histogram, part: number): string {
  const bucket = buckets.find(([, seen]) => seen >= count * part)
  return bucket && Number.isFinite(bucket[0]) ? `≤ ${bucket[0] * 1_000}` : "more"
}
