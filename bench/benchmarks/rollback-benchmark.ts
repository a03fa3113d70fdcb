// What it takes to roll back blocks of the tip, and whether more stored history makes it dearer: a store and one ten times as large,
// filled and derived by the product, both losing their newest blocks again and again.

import { evmFamily } from "../../src/families/evm/evm-family.js"
import { systemRandom } from "../../src/platform/random.js"
import { Database } from "../../src/postgres/database.js"
import { rollbackApp } from "../../src/rollback/rollback-app.js"
import { rollbackRaw } from "../../src/rollback/rollback-raw.js"
import { StoredRegistry } from "../../src/workers/postgres/stored-registry.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import type { BenchPostgres } from "../environment/bench-postgres.js"
import { startStandardChain } from "../environment/standard-chain.js"
import { ingestCommand } from "../environment/tidemark-command.js"
import { measureRun } from "../measure/measure-run.js"
import { quantile } from "../measure/statistics.js"
import type { Table } from "../report/render-table.js"
import type { Benchmark } from "./benchmark.js"

/** How many blocks at once, and how often. */
const depths = [
  { depth: 1, times: 150 },
  { depth: 10, times: 20 },
  { depth: 60, times: 6 },
] as const
const warmUp = 10
/** Blocks taken back in all. */
const takenBack = depths.reduce((sum, { depth, times }) => sum + depth * times, warmUp)
const transactionsPerBlock = 50

interface Store {
  readonly blocks: number
  /** As a process has it for its services, which roll back. */
  readonly database: Database
  readonly storedWorkers: StoredRegistry
  /** Heights [0, end) are stored and derived. */
  end: number
  readonly times: Map<number, { readonly appMs: number[]; readonly rawMs: number[] }>
}

export const rollbackBenchmark: Benchmark = {
  title: "Rollback",
  async run({ postgres, blocks, say }) {
    // A short run, while something is being tried, is not worth a million transactions.
    const large = blocks >= 10_000 ? Math.max(20_000, blocks) : blocks
    const small = Math.max(takenBack + 1, Math.floor(large / 10))
    if (large < small) throw new RangeError(`the rollbacks need --blocks ${small} or more`)
    const stores = await fillStores({ postgres, say }, { small, large })
    for (let i = 0; i < warmUp; i++) for (const store of stores) await rollbackOnce(store, { depth: 1 })
    const firstMs = stores.map(({ times }) => times.get(1)!.appMs[0]! + times.get(1)!.rawMs[0]!)
    for (const store of stores) store.times.clear()
    for (const { depth, times } of depths) {
      say(`${times} rollbacks of ${depth} ${depth === 1 ? "block" : "blocks"} in each, in turn`)
      for (let i = 0; i < times; i++) for (const store of stores) await rollbackOnce(store, { depth })
    }
    for (const { database } of stores) await database.end()
    return {
      tables: [table(stores)],
      notes: [
        `Both stores are the standard chain's first blocks, ${transactionsPerBlock} transactions and 60 logs each, stored and derived by the product with all built-in workers in one database, then vacuumed and analyzed. Transactions are those at the start; the rollbacks take ${takenBack} blocks away, from top to bottom of the table. App is step 1, raw step 2, each one transaction; the fsync of raw's commit is that of both, as in the product with one database; the comparison with the node is not part of it. Of fewer than 100 rollbacks the p99 is the slowest. Both steps run over a pool, as in a process; the first ${warmUp} are left out.`,
        `The first of all over a new connection, which has neither plans nor the catalog yet, took ${firstMs.map((ms) => Math.round(ms)).join(" and ")} ms.`,
        "Goals: both steps of one block within 50 ms at p99, and at most 1.5 times as long with ten times the history.",
      ],
    }
  },
}

/** The larger one grows out of the smaller one, so that no block is stored and derived twice. */
async function fillStores(
  { postgres, say }: { postgres: BenchPostgres; say: (text: string) => void },
  sizes: { small: number; large: number },
): Promise<Store[]> {
  const chain = await startStandardChain({ blocks: sizes.large })
  const [smallName, largeName] = ["bench_rollback_small", "bench_rollback_large"]
  const largeUrl = await postgres.freshDatabase(largeName)
  const fill = async (blocks: number): Promise<void> => {
    say(`storing and deriving up to ${blocks} blocks`)
    const command = ingestCommand({
      ...{ rpcUrl: chain.url, databaseUrl: largeUrl, blocks, threads: 1 },
      roles: "ingest,work",
    })
    await measureRun([command], { postgresPid: postgres.pid })
  }
  await fill(sizes.small)
  const smallUrl = await postgres.freshDatabase(smallName, { template: largeName })
  await fill(sizes.large)
  await chain.stop()
  say("vacuum analyze")
  return [await openStore(smallUrl, sizes.small), await openStore(largeUrl, sizes.large)]
}

async function openStore(url: string, blocks: number): Promise<Store> {
  const database = new Database({
    ...{ url, applicationName: "tidemark bench", maxConnections: 1 },
    ownSessions: true,
  })
  await database.query("vacuum analyze")
  const { rows } = await database.query<{ derived: boolean }>(
    "select bool_and(heights = int8multirange(int8range(0, $1::int8))) as derived from app.coverage",
    [blocks],
  )
  if (!rows[0]!.derived) throw new Error(`not every worker derived all of ${blocks} blocks`)
  return { blocks, database, storedWorkers: new StoredRegistry(), end: blocks, times: new Map() }
}

async function rollbackOnce(store: Store, { depth }: { depth: number }): Promise<void> {
  const { database } = store
  const { rows } = await database.query<{ chain_epoch: string }>("select chain_epoch from raw.chain_state")
  const epoch = Number(rows[0]!.chain_epoch)
  store.end -= depth
  const request = { id: systemRandom.uuid(), from: store.end, ancestorHash: null, epoch, reason: "bench" }
  if (!(await testLedgers.raw.openIntent(database, request))) throw new Error("a rollback is open")
  const intent = (await testLedgers.raw.readIntent(database))!
  const deps = {
    raw: database,
    app: database,
    ledgers: testLedgers,
    family: evmFamily,
    storedWorkers: store.storedWorkers,
  }
  const appAt = performance.now()
  const removed = await rollbackApp(deps, intent, { unflushed: true })
  const rawAt = performance.now()
  await rollbackRaw(deps, intent, removed)
  const times = store.times.get(depth) ?? { appMs: [], rawMs: [] }
  times.appMs.push(rawAt - appAt)
  times.rawMs.push(performance.now() - rawAt)
  store.times.set(depth, times)
}

function table(stores: readonly Store[]): Table {
  const text = (label: readonly string[], values: readonly number[], digits: number): string[] => [
    ...label,
    ...values.map((value) => value.toFixed(digits)),
  ]
  return {
    columns: [
      "blocks taken back",
      "transactions stored",
      ...["app", "raw", "both"].flatMap((step) => [`${step} p50 ms`, `${step} p99 ms`]),
    ],
    rows: depths.flatMap(({ depth }) => {
      const measured = stores.map(({ times }) => {
        const { appMs, rawMs } = times.get(depth)!
        const both = appMs.map((ms, i) => ms + rawMs[i]!)
        return [appMs, rawMs, both].flatMap((ms) => [quantile(ms, 0.5), quantile(ms, 0.99)])
      })
      const ratios = measured[1]!.map((value, i) => value / measured[0]![i]!)
      return [
        ...stores.map(({ blocks }, i) =>
          text([String(depth), (blocks * transactionsPerBlock).toLocaleString("en")], measured[i]!, 1),
        ),
        text([String(depth), "ratio"], ratios, 2),
      ]
    }),
  }
}
