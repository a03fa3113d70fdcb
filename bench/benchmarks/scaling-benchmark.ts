// What more processes bring: where the node's latency is the limit, and where the machine is.

import { Connection } from "../../src/postgres/connection.js"
import type { BenchPostgres } from "../environment/bench-postgres.js"
import { startChain, startStandardChain } from "../environment/standard-chain.js"
import { type IngestOptions, ingestCommand } from "../environment/tidemark-command.js"
import { interleave, type Variant } from "../measure/interleave.js"
import { type Measured, measureRun } from "../measure/measure-run.js"
import { median } from "../measure/statistics.js"
import type { Table } from "../report/render-table.js"
import type { Benchmark } from "./benchmark.js"

const latencyMs = 200
const slowBlocks = 4_000
/** Small, so that the processor is not what limits four processes; short ranges, so that all end together. */
const slowChain = { blocks: slowBlocks, transactionsPerBlock: 2, logsPerBlock: 2, latencyMs }
const slowSettings = { RPC_MAX_IN_FLIGHT: "1", RPC_BATCH_BLOCKS: "20", RANGE_SIZE: "100" }

export const scalingBenchmark: Benchmark = {
  title: "Scaling",
  async run({ postgres, blocks, rounds, say }) {
    const onResult = (name: string, round: number, { wallS, workS }: Scaled): void =>
      say(`round ${round + 1}, ${name}: ${workS.toFixed(1)} of ${wallS.toFixed(1)} s`)
    const slow = await startChain(slowChain)
    const slowOptions = { rpcUrl: slow.url, blocks: slowBlocks, threads: 1, env: slowSettings }
    const latency = await interleave(
      [
        variant(postgres, "1 process", { ...slowOptions, processes: 1 }),
        variant(postgres, "4 processes", { ...slowOptions, processes: 4 }),
      ],
      { rounds, onResult },
    )
    await slow.stop()

    const fast = await startStandardChain({ blocks })
    const fastBlocks = Math.ceil(blocks / 2)
    const unlimited = await interleave(
      [
        variant(postgres, "1 process, 2 threads", {
          rpcUrl: fast.url,
          blocks: fastBlocks,
          threads: 2,
          processes: 1,
        }),
        variant(postgres, "2 processes, 1 thread each", {
          rpcUrl: fast.url,
          blocks: fastBlocks,
          threads: 1,
          processes: 2,
        }),
      ],
      { rounds, onResult },
    )
    await fast.stop()
    return {
      tables: [
        table(latency, { blocks: slowBlocks, goals: ["", ">= 3.2"] }),
        table(unlimited, { blocks: fastBlocks, goals: ["", "0.9 to 1.1, or more"] }),
      ],
      notes: [
        `First table: every answer of the node takes ${latencyMs} ms, and a process has one request of 20 blocks in flight (${Object.entries(
          slowSettings,
        )
          .map(([name, value]) => `${name}=${value}`)
          .join(
            " ",
          )}). ${slowBlocks.toLocaleString("en")} small blocks (2 transactions, 2 logs), so that the processor is not the limit; short ranges, so that no process ends long before the others.`,
        `Second table: no latency, no limit, ${fastBlocks.toLocaleString("en")} blocks of 50 transactions and 60 logs.`,
        `Work is from the first claim to the last commit, by the database's clock; wall time is from the start of the first process to the end of the last. "times" is the rate against the first row, by either, median of ${rounds} interleaved rounds.`,
      ],
    }
  },
}

interface Scaled extends Measured {
  /** From the first claim to the last commit. */
  readonly workS: number
}

function variant(
  postgres: BenchPostgres,
  name: string,
  { processes, ...options }: Omit<IngestOptions, "databaseUrl"> & { readonly processes: number },
): Variant<Scaled> {
  return {
    name,
    run: async () => {
      const databaseUrl = await postgres.freshDatabase()
      const command = ingestCommand({ ...options, databaseUrl })
      const measured = await measureRun(new Array(processes).fill(command), { postgresPid: postgres.pid })
      return { ...measured, workS: await workOf(databaseUrl) }
    },
  }
}

async function workOf(url: string): Promise<number> {
  const connection = await Connection.open({ url, applicationName: "tidemark bench" })
  const { rows } = await connection.query<{ s: string }>(
    "select extract(epoch from max(completed_at) - min(leased_at)) as s from raw.worker_leases",
  )
  await connection.end()
  return Number(rows[0]!.s)
}

function table(
  results: ReadonlyMap<string, readonly Scaled[]>,
  { blocks, goals }: { blocks: number; goals: readonly string[] },
): Table {
  const [first] = results.values()
  return {
    columns: [
      "",
      "wall s",
      "work s",
      "blocks/s",
      "CPU s",
      "Postgres CPU s",
      "other CPU s",
      "times by wall",
      "times by work",
      "goal",
    ],
    rows: [...results].map(([name, runs], i) => {
      const of = (pick: (run: Scaled) => number): number => median(runs.map(pick))
      const work = of(({ workS }) => workS)
      return [
        name,
        of(({ wallS }) => wallS).toFixed(2),
        work.toFixed(2),
        Math.round(blocks / work).toLocaleString("en"),
        of(({ cpuS }) => cpuS).toFixed(1),
        of(({ postgresCpuS }) => postgresCpuS).toFixed(1),
        of(({ otherCpuS }) => otherCpuS).toFixed(1),
        median(runs.map((run, round) => first![round]!.wallS / run.wallS)).toFixed(2),
        median(runs.map((run, round) => first![round]!.workS / run.workS)).toFixed(2),
        goals[i]!,
      ]
    }),
  }
}
