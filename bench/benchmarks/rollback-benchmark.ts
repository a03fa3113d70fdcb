// What it takes to roll back one block, and whether more stored history makes it dearer: a store and one ten times as large,
// filled and derived by the product, both losing their newest block again and again.

import { systemRandom } from "../../src/platform/random.js"
import { Connection } from "../../src/postgres/connection.js"
import { rollbackApp } from "../../src/rollback/rollback-app.js"
import { openIntent, readIntent } from "../../src/rollback/rollback-intent.js"
import { rollbackRaw } from "../../src/rollback/rollback-raw.js"
import { startStandardChain } from "../environment/standard-chain.js"
import { ingestCommand } from "../environment/tidemark-command.js"
import { measureRun } from "../measure/measure-run.js"
import { quantile } from "../measure/statistics.js"
import type { Table } from "../report/render-table.js"
import type { Benchmark } from "./benchmark.js"

const rollbacks = 150
const warmUp = 10

interface Store {
  readonly transactions: number
  readonly connection: Connection
  /** Heights [0, end) are stored and derived. */
  end: number
  readonly appMs: number[]
  readonly rawMs: number[]
}

export const rollbackBenchmark: Benchmark = {
  title: "Rollback",
  async run({ postgres, blocks, say }) {
    if (blocks < 10 * 2 * (warmUp + rollbacks))
      throw new RangeError("the rollbacks need --blocks 3200 or more")
    const chain = await startStandardChain({ blocks })
    const stores: Store[] = []
    for (const end of [Math.floor(blocks / 10), blocks]) {
      say(`storing and deriving ${end} blocks`)
      const databaseUrl = await postgres.freshDatabase(`bench_rollback_${end}`)
      const command = ingestCommand({
        ...{ rpcUrl: chain.url, databaseUrl, blocks: end, threads: 1 },
        roles: "ingest,work",
      })
      await measureRun([command], { postgresPid: postgres.pid })
      stores.push(await openStore(databaseUrl, end))
    }
    await chain.stop()
    say(`${rollbacks} rollbacks of one block in each, in turn`)
    for (let i = 0; i < warmUp + rollbacks; i++) {
      for (const store of stores) await rollbackOnce(store, { counts: i >= warmUp })
    }
    for (const { connection } of stores) await connection.end()
    return {
      tables: [table(stores)],
      notes: [
        `Both stores are the standard chain's first blocks, 50 transactions each, stored and derived by the product with all built-in workers in one database, then vacuumed and analyzed. Each rollback removes the newest block; ${rollbacks} of each, in turn. App is step 1, raw step 2, each one transaction with fsync; the comparison with the node is not part of it.`,
        "Goals: both steps within 50 ms at p99, and at most 1.5 times as long with ten times the history.",
      ],
    }
  },
}

async function openStore(url: string, end: number): Promise<Store> {
  const connection = await Connection.open({ url, applicationName: "tidemark bench" })
  await connection.query("vacuum analyze")
  const { rows } = await connection.query<{ n: string; derived: boolean }>(
    `select (select count(*) from raw.transactions) as n,
       (select bool_and(heights = int8multirange(int8range(0, $1::int8))) from app.coverage) as derived`,
    [end],
  )
  if (!rows[0]!.derived) throw new Error(`not every worker derived all of ${end} blocks`)
  return { transactions: Number(rows[0]!.n), connection, end, appMs: [], rawMs: [] }
}

async function rollbackOnce(store: Store, { counts }: { counts: boolean }): Promise<void> {
  const { connection } = store
  const { rows } = await connection.query<{ chain_epoch: string }>("select chain_epoch from raw.chain_state")
  const epoch = Number(rows[0]!.chain_epoch)
  store.end--
  const request = { id: systemRandom.uuid(), from: store.end, ancestorHash: null, epoch, reason: "bench" }
  if (!(await openIntent(connection, request))) throw new Error("a rollback is open")
  const intent = (await readIntent(connection))!
  const deps = { raw: connection, app: connection, random: systemRandom }
  const appAt = performance.now()
  await rollbackApp(deps, intent)
  const rawAt = performance.now()
  await rollbackRaw(deps, intent)
  if (!counts) return
  store.appMs.push(rawAt - appAt)
  store.rawMs.push(performance.now() - rawAt)
}

function table(stores: readonly Store[]): Table {
  const rows = stores.map(({ appMs, rawMs }) => {
    const both = appMs.map((ms, i) => ms + rawMs[i]!)
    return [appMs, rawMs, both].flatMap((ms) => [quantile(ms, 0.5), quantile(ms, 0.99)])
  })
  const ratios = rows[1]!.map((value, i) => value / rows[0]![i]!)
  const text = (name: string, values: readonly number[], digits: number): string[] => [
    name,
    ...values.map((value) => value.toFixed(digits)),
  ]
  return {
    columns: [
      "transactions stored",
      ...["app", "raw", "both"].flatMap((step) => [`${step} p50 ms`, `${step} p99 ms`]),
    ],
    rows: [
      ...stores.map(({ transactions }, i) => text(transactions.toLocaleString("en"), rows[i]!, 1)),
      text("ratio", ratios, 2),
    ],
  }
}
