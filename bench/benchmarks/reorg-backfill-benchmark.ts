// Whether reorganisations at the tip disturb history: a backfill beside a tip that grows by a block a second, and the same
// beside a tip whose last one to three blocks are others each second.

import { spawn } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "../../src/platform/clock.js"
import { Connection } from "../../src/postgres/connection.js"
import { ChainServer } from "../../test/chain/chain-server.js"
import { type DatasetChain, openDatasetChain } from "../../test/chain/dataset-chain.js"
import type { Chain } from "../../test/chain/synthetic-chain.js"
import type { BenchPostgres } from "../environment/bench-postgres.js"
import { onStop } from "../environment/stop-all.js"
import { interleave } from "../measure/interleave.js"
import { median } from "../measure/statistics.js"
import type { Benchmark } from "./benchmark.js"

const program = join(import.meta.dirname, "..", "..", "bin", "tidemark.js")
const datasetBlocks = 20_000
const finality = 32
const tickMs = 1_000
const deepest = 3
const lookMs = 100
const goal = 0.9

interface Filled {
  readonly wallS: number
  readonly rollbacks: number
  /** Ranges of history that were not done at the first try. */
  readonly disturbed: number
  /** How far the tip got beside it. */
  readonly heads: number
}

export const reorgBackfillBenchmark: Benchmark = {
  title: "Backfill beside reorganisations",
  async run({ postgres, blocks, rounds, say }) {
    const history = Math.max(200, Math.floor(blocks / 5))
    const chain = openDatasetChain({ blocks: datasetBlocks }, { cacheBytes: 1 << 30 })
    const variants = [
      { name: "a quiet tip", reorgs: false },
      { name: "a reorganisation each second", reorgs: true },
    ]
    const results = await interleave<Filled>(
      variants.map(({ name, reorgs }) => ({
        name,
        run: () => backfill(postgres, { chain, history, reorgs }),
      })),
      {
        rounds,
        onResult: (name, round, { wallS, rollbacks }) =>
          say(`round ${round + 1}, ${name}: ${wallS.toFixed(1)} s, ${rollbacks} rollbacks`),
      },
    )
    chain.close()
    const walls = (name: string): number[] => results.get(name)!.map(({ wallS }) => wallS)
    const [quiet, busy] = variants.map(({ name }) => walls(name)) as [number[], number[]]
    const ratio = median(quiet.map((wallS, round) => wallS / busy[round]!))
    return {
      tables: [
        {
          columns: ["beside", "wall s", "blocks/s", "rollbacks", "ranges disturbed", "heads", "rate, of a quiet tip"],
          rows: variants.map(({ name, reorgs }) => {
            const runs = results.get(name)!
            const wallS = median(walls(name))
            return [
              name,
              wallS.toFixed(1),
              (history / wallS).toFixed(0),
              median(runs.map(({ rollbacks }) => rollbacks)).toFixed(0),
              median(runs.map(({ disturbed }) => disturbed)).toFixed(0),
              median(runs.map(({ heads }) => heads)).toFixed(0),
              reorgs ? ratio.toFixed(2) : "1.00",
            ]
          }),
        },
      ],
      notes: [
        `${history} blocks of 50 transactions and 60 logs, stored and derived by one process with one thread of each kind, from its start until every worker has all of them, while the tip above finality (${finality} blocks) grows by a block each second. With reorganisations, the last 1 to ${deepest} blocks are others each second, on both of two nodes. A range is disturbed when it was not done at its first try. Medians of ${rounds} interleaved rounds; the ratio is the median over the rounds. Goal: ${goal}.`,
        "The nodes run in the process of the benchmark, on the same cores.",
      ],
    }
  },
}

async function backfill(
  postgres: BenchPostgres,
  { chain, history, reorgs }: { chain: DatasetChain; history: number; reorgs: boolean },
): Promise<Filled> {
  const databaseUrl = await postgres.freshDatabase()
  // Two nodes that agree, so that each reorganisation is certain at first sight: one alone is asked again after a while, and by
  // then this tip has moved on.
  const nodes = [1, 2].map(() => new ChainServer(chain, { startHead: history + finality, finality }))
  const addresses = await Promise.all(nodes.map((node) => node.start()))
  const rpc = [...addresses.map(({ url }) => url), addresses[0]!.ws].join(",")
  const stopTip = moveTip(nodes, { reorgs, final: history })
  const startedAt = performance.now()
  const child = spawn(
    process.execPath,
    [program, "start", "--start-block", "0", "--rpc", rpc, "--roles", "ingest,work", "--port", "0"],
    {
      // Not in the checkout, where a config file may lie.
      cwd: tmpdir(),
      env: {
        ...{ PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", LOG_FORMAT: "json" },
        ...{ DB_RAW_URL: databaseUrl },
      },
      stdio: "ignore",
    },
  )
  const forget = onStop(async () => void child.kill("SIGKILL"))
  const exited = once(child, "exit")
  const connection = await Connection.open({ url: databaseUrl, applicationName: "tidemark bench" })
  try {
    while (!(await isFilled(connection, history))) {
      if (child.exitCode !== null) throw new Error(`the product ended with ${child.exitCode}`)
      await systemClock.sleep(lookMs)
    }
    const wallS = (performance.now() - startedAt) / 1_000
    const { rows } = await connection.query<{ rollbacks: number; disturbed: number }>(
      `select (select count(*)::int4 from app.rollbacks) as rollbacks, count(*)::int4 as disturbed
       from (select to_height, last_error from raw.worker_leases union all select to_height, last_error from app.worker_leases) as lease
       where to_height <= $1 and last_error is not null`,
      [history],
    )
    return { wallS, ...rows[0]!, heads: nodes[0]!.head - history - finality }
  } finally {
    stopTip()
    child.kill("SIGTERM")
    await exited
    forget()
    await connection.end()
    for (const node of nodes) await node.stop()
  }
}

/** Returns what stops it. */
function moveTip(nodes: readonly ChainServer[], { reorgs, final }: { reorgs: boolean; final: number }): () => void {
  let turn = 0
  let branch: Chain = nodes[0]!.chain
  const timer = setInterval(() => {
    const next = nodes[0]!.head + 1
    turn++
    const depth = 1 + (turn % deepest)
    if (reorgs) branch = branch.fork({ at: Math.max(final + 1, next - depth), seed: turn })
    for (const node of nodes) {
      if (reorgs) node.reorg(branch, next)
      else node.setHead(next)
    }
  }, tickMs)
  return () => clearInterval(timer)
}

async function isFilled(connection: Connection, history: number): Promise<boolean> {
  const { rows } = await connection.query<{ filled: boolean }>(
    `select count(*) > 1 and bool_and(heights @> int8range(0, $1::int8)) as filled from app.coverage`,
    [history],
  )
  return rows[0]!.filled
}
