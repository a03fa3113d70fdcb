// Deriving all built-in indexes from a filled raw store, against a bare COPY of the rows that come out of it into the same
// tables; where the time goes; and whether a block costs more when there are many before it.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "../../src/platform/free-port.js"
import type { BenchPostgres } from "../environment/bench-postgres.js"
import { derivedTemplate, makeDerivedTemplate } from "../environment/derived-tables.js"
import { type DumpedDerived, dumpDerived } from "../environment/dump-derived.js"
import { compileProbes, derivedCopyCommand } from "../environment/probe-commands.js"
import { startStandardChain } from "../environment/standard-chain.js"
import { onStop } from "../environment/stop-all.js"
import { ingestCommand, workCommand } from "../environment/tidemark-command.js"
import { readProfiles, type WorkRule, type WorkTimes } from "../measure/cpu-profile.js"
import { interleave } from "../measure/interleave.js"
import { type Measured, measureRun } from "../measure/measure-run.js"
import { median } from "../measure/statistics.js"
import { watchMetrics } from "../measure/watch-metrics.js"
import type { Table } from "../report/render-table.js"
import type { Benchmark } from "./benchmark.js"

const goal = "goal 0.4, floor 0.2"
const growthBlocks = 2_000
const logsPerBlock = 60

/** First fit wins; of a stack, the innermost frame that fits one. */
const rules: readonly WorkRule[] = [
  { work: "idle", functionName: /^\(idle\)$/ },
  { work: "garbage collection", functionName: /^\(garbage collector\)$/ },
  { work: "encode rows", file: /\/(row-encoder|row-sink|copy-buffer|numeric|encoded-field)\.js$/ },
  { work: "encode rows", file: /\/postgres\/hex\.js$/ },
  { work: "decode raw fields", file: /\/(binary-rows|raw-views|postgres-raw-reader)\.js$/ },
  { work: "decode rows of others", file: /\/postgres-derived-store\.js$/ },
  { work: "decode transfers", file: /\/(decode-transfers|abi-words)\.js$/ },
  { work: "extracts", file: /\/indexes\// },
  { work: "the runtime", file: /\/(workers|coordination|roles)\// },
  { work: "Postgres client", file: /\/pg(-[a-z-]+)?\/|\/postgres\// },
  { work: "loading modules", file: /node:internal\/modules\/|node:internal\/bootstrap\// },
]

const works = [...new Set(rules.map(({ work }) => work)), "other"].filter((work) => work !== "idle")

export const deriveBenchmark: Benchmark = {
  title: "Deriving",
  async run({ postgres, blocks, rounds, say }) {
    compileProbes()
    // A short run, while something is being tried, is not worth filling the whole chain for.
    const total = blocks >= 4_000 ? Math.max(20_000, blocks) : blocks
    const chain = await startStandardChain({ blocks: total })
    const rawUrl = await postgres.freshDatabase("bench_raw")
    say(`raw: ${total.toLocaleString("en")} blocks`)
    await measureRun([ingestCommand({ rpcUrl: chain.url, databaseUrl: rawUrl, blocks: total, threads: 1 })], {
      postgresPid: postgres.pid,
    })
    const registry = await makeDerivedTemplate(postgres, { blocks: total })
    const deriver: Deriver = { postgres, rpcUrl: chain.url, rawUrl }

    say("a first run, profiled and not counted; its rows are kept for the bare COPY")
    const filled = await emptyDatabase(postgres, "bench_filled")
    const profiled = await profile(deriver, { appUrl: filled, blocks })
    const dumped = await dumpDerived(filled, { registry, blocks })
    const results = await interleave<Measured>(
      [
        {
          name: "Tidemark",
          run: async () => derive(deriver, { appUrl: await emptyDatabase(postgres), blocks }),
        },
        {
          name: "bare COPY",
          run: async () => {
            const database = await emptyDatabase(postgres)
            const command = derivedCopyCommand({ database, manifest: dumped.manifest })
            return measureRun([command], { postgresPid: postgres.pid })
          },
        },
      ],
      {
        rounds,
        onResult: (name, round, { wallS, cpuS, postgresCpuS, otherCpuS }) =>
          say(
            `round ${round + 1}, ${name}: ${wallS.toFixed(1)} s, ${cpuS.toFixed(1)} + ${postgresCpuS.toFixed(1)} CPU s (others on the machine: ${otherCpuS.toFixed(1)})`,
          ),
      },
    )
    const growth = total > 2 * growthBlocks ? await measureGrowth(deriver, { total, say }) : undefined
    await chain.stop()
    return {
      tables: [
        ratioTable(results, { blocks, dumped }),
        phaseTable(profiled, { blocks }),
        profileTable(profiled.threads, { blocks }),
        ...(growth ? [growthTable(growth, { total })] : []),
      ],
      notes: [
        `${blocks.toLocaleString("en")} blocks of 50 transactions and ${logsPerBlock} logs, from a raw store that has them: ${dumped.eventRows.toLocaleString("en")} event rows and ${dumped.stateRows.toLocaleString("en")} state rows, ${Math.round(dumped.bytes / 1e6)} MB. Medians of ${rounds} interleaved rounds; wall time is from the start of the process to its end.`,
        `"of COPY, wall" and "of COPY, CPU" say how fast it is against the bare COPY, by wall time and by CPU of Node and Postgres together, median of the rounds (${goal}). The bare COPY writes the state rows once, as they are at the end; deriving has to change most of them again and again.`,
        "A backend's memory is what it does not share with others, looked at twice a second.",
        "Phases are wall time of both lanes of history, so they overlap; the profile is a run with --cpu-prof, sampled by wall time.",
        ...(growth
          ? [
              `Growth: the same process over ${growthBlocks.toLocaleString("en")} blocks, into empty tables and after all the blocks before, and the average of all of them; start and end of the process are in each (twice in the average). Autovacuum looks once a minute, so a short run may have none of it, or that of many blocks before. Goal: within 20 % by CPU.`,
            ]
          : []),
      ],
    }
  },
}

interface Deriver {
  readonly postgres: BenchPostgres
  readonly rpcUrl: string
  readonly rawUrl: string
}

interface Target {
  readonly appUrl: string
  /** Heights [0, blocks), those that are derived already included. */
  readonly blocks: number
}

const emptyDatabase = (postgres: BenchPostgres, name = "bench_app"): Promise<string> =>
  postgres.freshDatabase(name, { template: derivedTemplate })

const derive = ({ postgres, ...urls }: Deriver, target: Target): Promise<Measured> =>
  measureRun([workCommand({ ...urls, ...target })], { postgresPid: postgres.pid })

interface Profiled {
  readonly threads: readonly WorkTimes[]
  readonly phases: ReadonlyMap<string, number>
  readonly extracts: ReadonlyMap<string, number>
}

async function profile({ postgres, ...urls }: Deriver, target: Target): Promise<Profiled> {
  const directory = await mkdtemp(join(tmpdir(), "tidemark-bench-profile-"))
  onStop(() => rm(directory, { recursive: true, force: true }))
  const port = await freePort()
  const metrics = watchMetrics(port)
  const command = workCommand({ ...urls, ...target, port })
  const args = ["--cpu-prof", `--cpu-prof-dir=${directory}`, ...command.args]
  try {
    await measureRun([{ ...command, args }], { postgresPid: postgres.pid })
  } finally {
    metrics.stop()
  }
  return {
    threads: readProfiles(directory, rules),
    phases: metrics.by("tidemark_derive_seconds_total", "phase"),
    extracts: metrics.by("tidemark_extract_seconds_total", "worker"),
  }
}

interface Growth {
  readonly first: Measured
  /** From the start up to where the last begins. */
  readonly before: Measured
  readonly last: Measured
}

async function measureGrowth(
  deriver: Deriver,
  { total, say }: { total: number; say: (text: string) => void },
): Promise<Growth> {
  const { postgres } = deriver
  const tell = (which: string, { cpuS, postgresCpuS }: Measured): void =>
    say(`growth, ${which}: ${cpuS.toFixed(1)} + ${postgresCpuS.toFixed(1)} CPU s`)
  const first = await derive(deriver, { appUrl: await emptyDatabase(postgres), blocks: growthBlocks })
  tell("first blocks", first)
  const appUrl = await emptyDatabase(postgres)
  const before = await derive(deriver, { appUrl, blocks: total - growthBlocks })
  tell("blocks between", before)
  const last = await derive(deriver, { appUrl, blocks: total })
  tell("last blocks", last)
  return { first, before, last }
}

function ratioTable(
  results: ReadonlyMap<string, readonly Measured[]>,
  { blocks, dumped }: { blocks: number; dumped: DumpedDerived },
): Table {
  const copies = results.get("bare COPY")!
  const cpu = ({ cpuS, postgresCpuS }: Measured): number => cpuS + postgresCpuS
  const rows = [...results].map(([name, runs]) => {
    const of = (pick: (run: Measured) => number): number => median(runs.map(pick))
    const against = (pick: (run: Measured) => number): string =>
      median(runs.map((run, i) => pick(copies[i]!) / pick(run))).toFixed(2)
    const wall = of(({ wallS }) => wallS)
    return [
      name,
      wall.toFixed(2),
      Math.round(blocks / wall).toLocaleString("en"),
      Math.round((blocks * logsPerBlock) / wall).toLocaleString("en"),
      Math.round((dumped.eventRows + dumped.stateRows) / wall).toLocaleString("en"),
      of(({ cpuS }) => cpuS).toFixed(1),
      of(({ postgresCpuS }) => postgresCpuS).toFixed(1),
      ((of(cpu) * 1e6) / (blocks * logsPerBlock)).toFixed(0),
      of(({ otherCpuS }) => otherCpuS).toFixed(1),
      of(({ peakRssMb }) => peakRssMb).toFixed(0),
      of(({ backendMb }) => backendMb).toFixed(0),
      of(({ backendsMb }) => backendsMb).toFixed(0),
      against(({ wallS }) => wallS),
      against(cpu),
    ]
  })
  return {
    columns: [
      "",
      "wall s",
      "blocks/s",
      "events/s",
      "rows/s",
      "CPU s",
      "Postgres CPU s",
      "CPU µs/event",
      "other CPU s",
      "peak RSS MB",
      "largest backend MB",
      "all backends MB",
      "of COPY, wall",
      "of COPY, CPU",
    ],
    rows,
  }
}

function phaseTable({ phases, extracts }: Profiled, { blocks }: { blocks: number }): Table {
  const row = ([name, seconds]: readonly [string, number]): string[] => [
    name,
    Math.round((seconds * 1e6) / blocks).toLocaleString("en"),
  ]
  return {
    columns: ["phase", "µs per block"],
    rows: [...[...phases].map(row), ...[...extracts].map(([worker, seconds]) => row([`extract, ${worker}`, seconds]))],
  }
}

/** In the order in which the product starts them. */
const threadNames = ["main thread", "tip", "history"]

function profileTable(threads: readonly WorkTimes[], { blocks }: { blocks: number }): Table {
  const perBlock = (us: number): string => Math.round(us / blocks).toLocaleString("en")
  const row = (name: string, pick: (times: WorkTimes) => number): string[] => [
    name,
    ...threads.map((times) => perBlock(pick(times))),
  ]
  return {
    columns: ["µs per block", ...threads.map((_, at) => threadNames[at] ?? `thread ${at}`)],
    rows: [
      ...works.map((work) => row(work, (times) => times.get(work) ?? 0)),
      row("idle, or waiting for Postgres", (times) => times.get("idle") ?? 0),
    ],
  }
}

function growthTable({ first, before, last }: Growth, { total }: { total: number }): Table {
  const height = (value: number): string => value.toLocaleString("en")
  const whole: Measured = {
    ...last,
    wallS: before.wallS + last.wallS,
    cpuS: before.cpuS + last.cpuS,
    postgresCpuS: before.postgresCpuS + last.postgresCpuS,
    autovacuumCpuS: before.autovacuumCpuS + last.autovacuumCpuS,
    peakRssMb: Math.max(before.peakRssMb, last.peakRssMb),
    backendsMb: Math.max(before.backendsMb, last.backendsMb),
  }
  const cpu = ({ cpuS, postgresCpuS }: Measured): number => cpuS + postgresCpuS
  const row = (name: string, run: Measured, blocks: number): string[] => {
    const perBlock = (seconds: number): string => ((seconds * 1e3) / blocks).toFixed(2)
    return [
      name,
      perBlock(run.cpuS),
      perBlock(run.postgresCpuS),
      perBlock(run.autovacuumCpuS),
      perBlock(cpu(run)),
      (cpu(run) / blocks / (cpu(first) / growthBlocks)).toFixed(2),
      perBlock(run.wallS),
      run.peakRssMb.toFixed(0),
      run.backendsMb.toFixed(0),
    ]
  }
  return {
    columns: [
      "ms per block",
      "CPU",
      "Postgres CPU",
      "of it autovacuum",
      "both",
      "of the first",
      "wall",
      "peak RSS MB",
      "all backends MB",
    ],
    rows: [
      row(`blocks 0 to ${height(growthBlocks)}`, first, growthBlocks),
      row(`blocks ${height(total - growthBlocks)} to ${height(total)}`, last, growthBlocks),
      row(`all ${height(total)}, on average`, whole, total),
    ],
  }
}
