// Raw ingestion by the product against the least that any program has to do for the same rows: the bare probe, and a
// COPY of rows that lie ready. All variants must end with the same tables, byte for byte.

import { digestRaw } from "../../test/support/raw-digest.js"
import type { BenchPostgres } from "../environment/bench-postgres.js"
import { dumpRows } from "../environment/dump-rows.js"
import { bareCopyCommand, compileProbes, probeCommand } from "../environment/probe-commands.js"
import { startStandardChain } from "../environment/standard-chain.js"
import { ingestCommand } from "../environment/tidemark-command.js"
import { interleave, type Variant } from "../measure/interleave.js"
import { type Command, type Measured, measureRun } from "../measure/measure-run.js"
import { median } from "../measure/statistics.js"
import type { Table } from "../report/render-table.js"
import type { Benchmark } from "./benchmark.js"

const goal = "goal 0.8, floor 0.5"

export const rawBenchmark: Benchmark = {
  title: "Raw ingestion",
  async run({ postgres, blocks, rounds, say }) {
    compileProbes()
    const chain = await startStandardChain({ blocks })
    const rpcUrl = chain.url
    say("first runs, not counted: the node's cache fills, and the rows for the bare COPY are kept")
    const ingest = (threads: number) => (databaseUrl: string) =>
      ingestCommand({ rpcUrl, databaseUrl, blocks, threads })
    const filled = await postgres.freshDatabase()
    await measureRun([ingest(1)(filled)], { postgresPid: postgres.pid })
    const truth = await tablesOf(filled)
    const dumped = await dumpRows(filled)
    const probe = (writers: number) => (database: string) => probeCommand({ rpc: rpcUrl, database, blocks, writers })
    const copy = (writers: number) => (database: string) =>
      bareCopyCommand({ database, directory: dumped.directory, transactions: dumped.transactions, writers })

    const variant = (name: string, command: (url: string) => Command): Variant<Measured> => ({
      name,
      run: (round) => runInto(postgres, { name, command, truth: round === 0 ? truth : undefined }),
    })
    const variants = [
      variant("Tidemark, 1 thread", ingest(1)),
      variant("probe, 1 writer", probe(1)),
      variant("bare COPY, 1 writer", copy(1)),
      variant("Tidemark, 2 threads", ingest(2)),
      variant("probe, 2 writers", probe(2)),
      variant("bare COPY, 2 writers", copy(2)),
    ]
    const results = await interleave(variants, {
      rounds,
      onResult: (name, round, { wallS, otherCpuS }) =>
        say(
          `round ${round + 1}, ${name}: ${wallS.toFixed(1)} s (others on the machine: ${otherCpuS.toFixed(1)} CPU s)`,
        ),
    })
    await chain.stop()
    return {
      tables: [table(results, { blocks })],
      notes: [
        `${blocks.toLocaleString("en")} blocks of 50 transactions and 60 logs, ${Math.round(dumped.bytes / 1e6)} MB of rows in ${dumped.transactions} transactions; medians of ${rounds} interleaved rounds; wall time is from the start of the process to its end.`,
        `"of probe" and "of COPY" are rates against the faster probe and the faster bare COPY, median of the rounds (${goal} of the probe).`,
        "The tables of all variants were equal, byte for byte.",
      ],
    }
  },
}

async function runInto(
  postgres: BenchPostgres,
  { name, command, truth }: { name: string; command: (url: string) => Command; truth: string | undefined },
): Promise<Measured> {
  const url = await postgres.freshDatabase()
  const measured = await measureRun([command(url)], { postgresPid: postgres.pid })
  if (truth !== undefined && (await tablesOf(url)) !== truth) {
    throw new Error(`${name}: its tables are not those of the product's first run`)
  }
  return measured
}

async function tablesOf(url: string): Promise<string> {
  const { digests, rows } = await digestRaw(url)
  return JSON.stringify({ digests, rows })
}

function table(results: ReadonlyMap<string, readonly Measured[]>, { blocks }: { blocks: number }): Table {
  const probe = fastest(results, "probe")
  const copy = fastest(results, "bare COPY")
  const rows = [...results].map(([name, runs]) => {
    const of = (pick: (run: Measured) => number): number => median(runs.map(pick))
    // Within a round, so that a slow stretch of the machine falls on both sides.
    const against = (others: readonly Measured[]): string =>
      median(runs.map((run, i) => others[i]!.wallS / run.wallS)).toFixed(2)
    const wall = of(({ wallS }) => wallS)
    return [
      name,
      wall.toFixed(2),
      Math.round(blocks / wall).toLocaleString("en"),
      of(({ cpuS }) => cpuS).toFixed(1),
      of(({ postgresCpuS }) => postgresCpuS).toFixed(1),
      of(({ otherCpuS }) => otherCpuS).toFixed(1),
      of(({ peakRssMb }) => peakRssMb).toFixed(0),
      against(probe),
      against(copy),
    ]
  })
  return {
    columns: [
      "",
      "wall s",
      "blocks/s",
      "CPU s",
      "Postgres CPU s",
      "other CPU s",
      "peak RSS MB",
      "of probe",
      "of COPY",
    ],
    rows,
  }
}

function fastest(results: ReadonlyMap<string, readonly Measured[]>, prefix: string): readonly Measured[] {
  const wall = (runs: readonly Measured[]): number => median(runs.map(({ wallS }) => wallS))
  return [...results]
    .filter(([name]) => name.startsWith(prefix))
    .map(([, runs]) => runs)
    .reduce((best, runs) => (wall(runs) < wall(best) ? runs : best))
}
