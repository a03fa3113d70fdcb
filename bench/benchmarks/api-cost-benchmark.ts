// What deriving pays for what only the API reads: the worker of the search, the counters behind totals, and the indexes of
// state tables. The same process derives the same blocks with all of it, without one of them, and without any.

import { builtInWorkers } from "../../src/families/evm/indexes/built-in-workers.js"
import { searchWorker } from "../../src/families/evm/indexes/search/search-worker.js"
import { Connection } from "../../src/postgres/connection.js"
import { quoteIdentifier } from "../../src/postgres/quote-identifier.js"
import { indexName } from "../../src/workers/index-name.js"
import { readRowCounts } from "../../src/workers/postgres/row-counts.js"
import { type WorkerRegistry, workerSchema } from "../../src/workers/worker-registry.js"
import type { BenchPostgres } from "../environment/bench-postgres.js"
import { derivedTemplate, makeDerivedTemplate } from "../environment/derived-tables.js"
import { startStandardChain } from "../environment/standard-chain.js"
import { ingestCommand, workCommand } from "../environment/tidemark-command.js"
import { interleave } from "../measure/interleave.js"
import { type Measured, measureRun } from "../measure/measure-run.js"
import { median } from "../measure/statistics.js"
import type { Table } from "../report/render-table.js"
import type { Benchmark } from "./benchmark.js"

interface Variant {
  readonly name: string
  readonly search: boolean
  readonly counters: boolean
  readonly indexes: boolean
}

/** What a run took, and what it made Postgres write, which does not depend on how busy the machine is. */
interface Cost extends Measured {
  readonly walMb: number
}

const all = { search: true, counters: true, indexes: true }
const variants: readonly Variant[] = [
  { name: "all of it", ...all },
  { name: "without the search worker", ...all, search: false },
  { name: "without counters", ...all, counters: false },
  { name: "without indexes of state", ...all, indexes: false },
  { name: "without any of them", search: false, counters: false, indexes: false },
]

export const apiCostBenchmark: Benchmark = {
  title: "What the API costs deriving",
  async run({ postgres, blocks, rounds, say }) {
    const chain = await startStandardChain({ blocks })
    const rawUrl = await postgres.freshDatabase("bench_raw")
    say(`raw: ${blocks.toLocaleString("en")} blocks`)
    const { url: rpcUrl } = chain
    await measureRun([ingestCommand({ rpcUrl, databaseUrl: rawUrl, blocks, threads: 1 })], {
      postgresPid: postgres.pid,
    })
    const registry = await makeDerivedTemplate(postgres, { blocks })
    const derive = async (variant: Variant): Promise<Cost> => {
      const appUrl = await emptyDatabase(postgres, registry, variant)
      const workers = builtInWorkers.filter((worker) => variant.search || worker !== searchWorker)
      const env = { WORKERS: workers.map(({ name }) => name).join(",") }
      const connection = await Connection.open({ url: appUrl, applicationName: "tidemark bench" })
      const wal = async (): Promise<number> => {
        const { rows } = await connection.query<{ bytes: number }>(
          "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes",
        )
        return rows[0]!.bytes
      }
      // Else the first change of each page after one writes the whole page, whoever makes it.
      await connection.query("checkpoint")
      const before = await wal()
      const measured = await measureRun([workCommand({ rpcUrl, rawUrl, appUrl, blocks, env })], {
        postgresPid: postgres.pid,
      })
      const walMb = ((await wal()) - before) / 1e6
      await connection.end()
      return { ...measured, walMb }
    }
    say("a first run, not counted")
    await derive(variants[0]!)
    const results = await interleave<Cost>(
      variants.map((variant) => ({ name: variant.name, run: () => derive(variant) })),
      {
        rounds,
        onResult: (name, round, { wallS, cpuS, postgresCpuS, walMb }) =>
          say(
            `round ${round + 1}, ${name}: ${wallS.toFixed(1)} s, ${cpuS.toFixed(1)} + ${postgresCpuS.toFixed(1)} CPU s, ${walMb.toFixed(0)} MB of WAL`,
          ),
      },
    )
    await chain.stop()
    return {
      tables: [table(results, blocks)],
      notes: [
        `${blocks.toLocaleString("en")} blocks of 50 transactions and 60 logs, from a raw store that has them, into empty tables. Medians of ${rounds} interleaved rounds; CPU is that of Node and Postgres together, "of all" against the run of the same round with all of it. WAL is what Postgres writes of every change: it tells a small difference where the machine is busy.`,
        "The search worker folds three counters for each contract. The counters are kept by triggers: holders of a token, items and tokens of a collection. The indexes are those of state tables beside their keys: holders by balance, items by owner, tokens and collections by use. What lists of events need (by address, by contract) is in both: it was there before the API.",
      ],
    }
  },
}

/** Empty tables, without what the variant leaves out. The product finds each index of that name, and builds none. */
async function emptyDatabase(postgres: BenchPostgres, registry: WorkerRegistry, variant: Variant): Promise<string> {
  const url = await postgres.freshDatabase("bench_app", { template: derivedTemplate })
  const connection = await Connection.open({ url, applicationName: "tidemark bench" })
  const named = (name: string): string => quoteIdentifier(workerSchema, name)
  if (!variant.counters)
    for (const { trigger } of await readRowCounts(connection)) await connection.query(disable(trigger))
  const states = registry.workers.flatMap(({ tables }) =>
    Object.entries(tables).filter(([, one]) => one.kind === "state"),
  )
  for (const [name, { indexes = [] }] of variant.indexes ? [] : states) {
    for (const columns of indexes) {
      const index = indexName({ table: name, columns })
      const list = columns.map((column) => quoteIdentifier(column)).join(", ")
      await connection.query(`drop index ${named(index)}`)
      await connection.query(`create index ${quoteIdentifier(index)} on ${named(name)} (${list}) where false`)
    }
  }
  await connection.end()
  return url
}

/** Of a function that triggers call for each change: it does nothing instead. */
const disable = (name: string): string =>
  `create or replace function ${quoteIdentifier(workerSchema, name)}() returns trigger language plpgsql
   as $$ begin return null; end $$`

function table(results: ReadonlyMap<string, readonly Cost[]>, blocks: number): Table {
  const whole = results.get(variants[0]!.name)!
  const cpu = ({ cpuS, postgresCpuS }: Cost): number => cpuS + postgresCpuS
  return {
    columns: [
      "",
      "wall s",
      "CPU s",
      "Postgres CPU s",
      "CPU ms per block",
      "WAL kB per block",
      "of all, wall",
      "of all, CPU",
      "of all, WAL",
    ],
    rows: [...results].map(([name, runs]) => {
      const of = (pick: (run: Cost) => number): number => median(runs.map(pick))
      const against = (pick: (run: Cost) => number): string =>
        median(runs.map((run, i) => pick(run) / pick(whole[i]!))).toFixed(2)
      return [
        ...[name, of(({ wallS }) => wallS).toFixed(2), of(({ cpuS }) => cpuS).toFixed(1)],
        ...[of(({ postgresCpuS }) => postgresCpuS).toFixed(1), ((of(cpu) * 1_000) / blocks).toFixed(2)],
        ((of(({ walMb }) => walMb) * 1_000) / blocks).toFixed(1),
        ...[against(({ wallS }) => wallS), against(cpu), against(({ walMb }) => walMb)],
      ]
    }),
  }
}
