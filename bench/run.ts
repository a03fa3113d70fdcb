// `npm run bench [-- name …] [--blocks N] [--rounds N]`: runs the benchmarks named, or all, prints what they measured and
// puts it into docs/benchmarks.md. Whatever it started is gone when it ends, however it ends.

import { join, resolve } from "node:path"
import { readOptions, refuse, wholeNumber } from "../test/support/read-options.js"
import { apiBenchmark } from "./benchmarks/api-benchmark.js"
import { apiCostBenchmark } from "./benchmarks/api-cost-benchmark.js"
import type { Benchmark } from "./benchmarks/benchmark.js"
import { claimBenchmark } from "./benchmarks/claim-benchmark.js"
import { deepRollbackBenchmark } from "./benchmarks/deep-rollback-benchmark.js"
import { deriveBenchmark } from "./benchmarks/derive-benchmark.js"
import { liveBenchmark, liveDenseBenchmark } from "./benchmarks/live-benchmark.js"
import { memoryBenchmark } from "./benchmarks/memory-benchmark.js"
import { pagesBenchmark } from "./benchmarks/pages-benchmark.js"
import { profileBenchmark } from "./benchmarks/profile-benchmark.js"
import { providersBenchmark } from "./benchmarks/providers-benchmark.js"
import { rawBenchmark } from "./benchmarks/raw-benchmark.js"
import { recoveryBenchmark } from "./benchmarks/recovery-benchmark.js"
import { reorgBackfillBenchmark } from "./benchmarks/reorg-backfill-benchmark.js"
import { rollbackBenchmark } from "./benchmarks/rollback-benchmark.js"
import { scalingBenchmark } from "./benchmarks/scaling-benchmark.js"
import { streamsBenchmark } from "./benchmarks/streams-benchmark.js"
import { startBenchPostgres } from "./environment/bench-postgres.js"
import { isStopping, stopAll, stopAllOnSignals } from "./environment/stop-all.js"
import { machineFacts } from "./report/machine-facts.js"
import { renderTable } from "./report/render-table.js"
import { writeReport } from "./report/write-report.js"

const benchmarks: Readonly<Record<string, Benchmark>> = {
  raw: rawBenchmark,
  derive: deriveBenchmark,
  memory: memoryBenchmark,
  scaling: scalingBenchmark,
  claim: claimBenchmark,
  profile: profileBenchmark,
  live: liveBenchmark,
  "live-dense": liveDenseBenchmark,
  rollback: rollbackBenchmark,
  "deep-rollback": deepRollbackBenchmark,
  "reorg-backfill": reorgBackfillBenchmark,
  streams: streamsBenchmark,
  api: apiBenchmark,
  pages: pagesBenchmark,
  "api-cost": apiCostBenchmark,
  providers: providersBenchmark,
  recovery: recoveryBenchmark,
}

const usage = `Usage: npm run bench [-- name …] [--blocks N] [--rounds N] [--seconds N] [--keep DIR] [--dry-run]

  name        of ${Object.keys(benchmarks).join(", ")}; all by default
  --blocks    how much of the standard chain is ingested (10000)
  --rounds    how often each variant runs (3)
  --seconds   how long the API's benchmark asks at its usual rate, and a quarter of it at others; the one of the pages
              watches a page for 2.5 times as long (60)
  --keep      the folder that keeps the filled store of the benchmarks of the API and the pages (.cache)
  --dry-run   docs/benchmarks.md is left as it is`

interface Arguments {
  readonly names: readonly string[]
  readonly blocks: number
  readonly rounds: number
  readonly seconds: number
  readonly keep: string
  readonly dryRun: boolean
}

function readArguments(): Arguments {
  const { values, positionals } = readOptions(usage, {
    allowPositionals: true,
    options: {
      blocks: { type: "string", default: "10000" },
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "60" },
      keep: { type: "string", default: join(import.meta.dirname, "..", ".cache") },
      "dry-run": { type: "boolean", default: false },
    },
  })
  const names = positionals.length > 0 ? positionals : Object.keys(benchmarks)
  const unknown = names.find((name) => !Object.hasOwn(benchmarks, name))
  if (unknown !== undefined) refuse(usage, `there is no benchmark ${unknown}`)
  const [blocks, rounds, seconds] = (["blocks", "rounds", "seconds"] as const).map((name) =>
    wholeNumber(usage, { name, text: values[name], least: 1 }),
  ) as [number, number, number]
  return { names, blocks, rounds, seconds, keep: resolve(values.keep), dryRun: values["dry-run"] }
}

const say = (text: string): void => void process.stderr.write(`${text}\n`)

async function main({ names, blocks, rounds, seconds, keep, dryRun }: Arguments): Promise<void> {
  const postgres = await startBenchPostgres()
  for (const name of names) {
    const benchmark = benchmarks[name]!
    say(`${name}:`)
    const { tables, notes } = await benchmark.run({
      postgres,
      blocks,
      rounds,
      seconds,
      keep,
      say: (text) => say(`  ${text}`),
    })
    const made = `\`npm run bench -- ${name} --blocks ${blocks} --rounds ${rounds}\` on ${machineFacts({ postgresVersion: postgres.version })}.`
    const measured = [made, ...tables.map(renderTable), notes.map((note) => `- ${note}`).join("\n")].join("\n\n")
    process.stdout.write(`\n## ${benchmark.title}\n\n${measured}\n\n`)
    if (!dryRun) writeReport(name, measured)
  }
}

const given = readArguments()
if (process.platform !== "linux") {
  say("The benchmarks read /proc, so they run on Linux only.")
  process.exit(1)
}
stopAllOnSignals()
try {
  await main(given)
} catch (error) {
  if (!isStopping()) console.error(error)
  process.exitCode = 1
} finally {
  await stopAll()
}
