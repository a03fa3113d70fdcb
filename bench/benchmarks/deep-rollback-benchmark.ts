// What it takes to roll back a tenth, and then nearly all, of a store: how long each step takes, and whether it says how far it is.

import { evmFamily } from "../../src/families/evm/evm-family.js"
import { systemClock } from "../../src/platform/clock.js"
import { systemRandom } from "../../src/platform/random.js"
import { Database } from "../../src/postgres/database.js"
import { finishRollback } from "../../src/rollback/finish-rollback.js"
import { RollbackWatch } from "../../src/rollback/rollback-watch.js"
import { StoredRegistry } from "../../src/workers/postgres/stored-registry.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { startChain } from "../environment/standard-chain.js"
import { ingestCommand } from "../environment/tidemark-command.js"
import { measureRun } from "../measure/measure-run.js"
import type { Benchmark } from "./benchmark.js"

const perBlock = { transactionsPerBlock: 2, logsPerBlock: 2 }

interface Measured {
  readonly depth: number
  readonly appS: number
  readonly rawS: number
  /** How often it said how far it was, and how long it was silent at most. */
  readonly reports: number
  readonly longestSilenceS: number
}

export const deepRollbackBenchmark: Benchmark = {
  title: "Deep rollback",
  async run({ postgres, blocks, say }) {
    const depths = [Math.floor(blocks / 11), Math.floor((blocks / 11) * 10)]
    const chain = await startChain({ blocks, ...perBlock })
    const url = await postgres.freshDatabase("bench_deep_rollback")
    say(`storing and deriving ${blocks} blocks`)
    const command = ingestCommand({ rpcUrl: chain.url, databaseUrl: url, blocks, threads: 1, roles: "ingest,work" })
    const { wallS, cpuS, postgresCpuS } = await measureRun([command], { postgresPid: postgres.pid })
    say(`that took ${wallS.toFixed(0)} s, ${cpuS.toFixed(0)} s of CPU and ${postgresCpuS.toFixed(0)} s of Postgres`)
    await chain.stop()
    const database = new Database({ url, applicationName: "tidemark bench", maxConnections: 2, ownSessions: true })
    await database.query("vacuum analyze")
    const measured: Measured[] = []
    let end = blocks
    for (const depth of depths) {
      say(`rolling back ${depth} blocks`)
      end -= depth
      measured.push(await rollBack(database, { from: end, depth }))
    }
    await database.end()
    return {
      tables: [
        {
          columns: ["blocks taken back", "app s", "raw s", "blocks/s", "reports of progress", "longest silence s"],
          rows: measured.map(({ depth, appS, rawS, reports, longestSilenceS }) => [
            depth.toLocaleString("en"),
            appS.toFixed(1),
            rawS.toFixed(1),
            (depth / (appS + rawS)).toFixed(0),
            String(reports),
            longestSilenceS.toFixed(1),
          ]),
        },
      ],
      notes: [
        `${blocks.toLocaleString("en")} blocks of ${perBlock.transactionsPerBlock} transactions and ${perBlock.logsPerBlock} logs, stored and derived by the product with all built-in workers in one database, then vacuumed and analyzed; both rollbacks one after the other, from the top. App is step 1, raw step 2, each one transaction, undone in pieces of 1,000 heights, after each of which it says how far it is.`,
      ],
    }
  },
}

async function rollBack(database: Database, { from, depth }: { from: number; depth: number }): Promise<Measured> {
  const { rows } = await database.query<{ chain_epoch: string }>("select chain_epoch from raw.chain_state")
  const request = { id: systemRandom.uuid(), from, ancestorHash: null, epoch: Number(rows[0]!.chain_epoch) }
  if (!(await testLedgers.raw.openIntent(database, { ...request, reason: "bench" })))
    throw new Error("a rollback is open")
  const watch = new RollbackWatch({ clock: systemClock })
  const beganAt = performance.now()
  let rawAt = beganAt
  const reportedAt = [beganAt]
  watch.report = (step, { done }) => {
    reportedAt.push(performance.now())
    if (step === "raw" && done === 0) rawAt = performance.now()
  }
  const stores = { raw: database, app: database }
  const deps = { ...stores, ledgers: testLedgers, family: evmFamily, storedWorkers: new StoredRegistry() }
  await finishRollback({ ...deps, random: systemRandom, watch })
  const endedAt = performance.now()
  const silences = [...reportedAt.slice(1), endedAt].map((at, i) => at - reportedAt[i]!)
  return {
    depth,
    appS: (rawAt - beganAt) / 1_000,
    rawS: (endedAt - rawAt) / 1_000,
    reports: reportedAt.length - 1,
    longestSilenceS: Math.max(...silences) / 1_000,
  }
}
