// How long a chain stands still when the node that is followed freezes, and when the process that follows the head is
// killed: from the fault until the head of that moment is stored and derived.

import { spawn } from "node:child_process"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { systemClock } from "../../src/platform/clock.js"
import { Connection } from "../../src/postgres/connection.js"
import { ChainServer } from "../../test/chain/chain-server.js"
import { type Chain, createChain } from "../../test/chain/synthetic-chain.js"
import type { BenchPostgres } from "../environment/bench-postgres.js"
import { onStop } from "../environment/stop-all.js"
import type { Benchmark } from "./benchmark.js"

const program = join(import.meta.dirname, "..", "..", "bin", "tidemark.js")
const perBlock = { transactionsPerBlock: 2, logsPerBlock: 2, holders: 200 }
const blockMs = 1_000
const latencyMs = 20
const lookMs = 20
const patienceMs = 300_000
const fewUnfinalized = 64
const manyUnfinalized = 20_000

export const recoveryBenchmark: Benchmark = {
  title: "Recovery",
  async run({ postgres, rounds, say }) {
    const measured = new Map<string, number[]>()
    const faults: readonly (readonly [string, () => Promise<number>])[] = [
      ["the followed node freezes, another goes on", () => freezeNode(postgres)],
      [`the follower is killed, ${fewUnfinalized} blocks not final`, () => killFollower(postgres, fewUnfinalized)],
      [`the follower is killed, ${manyUnfinalized} blocks not final`, () => killFollower(postgres, manyUnfinalized)],
    ]
    for (let round = 0; round < rounds; round++) {
      for (const [name, recover] of faults) {
        const seconds = (await recover()) / 1_000
        say(`${name}: ${seconds.toFixed(1)} s`)
        measured.set(name, [...(measured.get(name) ?? []), seconds])
      }
    }
    return {
      tables: [
        {
          columns: ["fault", "stored and derived again after s"],
          rows: faults.map(([name]) => [
            name,
            measured
              .get(name)!
              .map((seconds) => seconds.toFixed(1))
              .join(", "),
          ]),
        },
      ],
      notes: [
        `From the fault until the block that the chain had at that moment plus one is stored and derived by all built-in workers; a block each ${blockMs} ms, ${latencyMs} ms for each answer of a node, the default settings, ${rounds} rounds. Where the follower is killed, another process takes over: it compares everything that is not final with the node, outside of the election. Its processes run with the roles ingest and work.`,
      ],
    }
  },
}

async function freezeNode(postgres: BenchPostgres): Promise<number> {
  const history = 100
  const chain = createChain({ blocks: history + 1_000, ...perBlock })
  const nodes = [1, 2].map(() => new ChainServer(chain, { startHead: history, finality: fewUnfinalized, latencyMs }))
  return withStore(postgres, { chain, nodes, processes: 1, history }, async ({ tick, derived }) => {
    const stopBoth = tick(nodes)
    await derived(history + 5)
    stopBoth()
    const frozenAt = nodes[0]!.head
    const beganAt = performance.now()
    const stopOne = tick([nodes[1]!])
    await derived(frozenAt + 1)
    stopOne()
    return performance.now() - beganAt
  })
}

async function killFollower(postgres: BenchPostgres, finality: number): Promise<number> {
  const history = finality + 100
  const chain = createChain({ blocks: history + 1_000, ...perBlock })
  const node = new ChainServer(chain, { startHead: history, finality, latencyMs })
  return withStore(postgres, { chain, nodes: [node], processes: 2, history }, async ({ tick, derived, killFirst }) => {
    const stop = tick([node])
    await derived(history + 5)
    const killedAt = node.head
    const beganAt = performance.now()
    await killFirst()
    await derived(killedAt + 1)
    stop()
    return performance.now() - beganAt
  })
}

interface Scene {
  /** Lets the nodes grow. Returns what stops it. */
  tick(nodes: readonly ChainServer[]): () => void
  derived(height: number): Promise<void>
  killFirst(): Promise<void>
}

interface SceneOptions {
  readonly chain: Chain
  readonly nodes: readonly ChainServer[]
  /** The first of them follows the head. */
  readonly processes: number
  readonly history: number
}

async function withStore(
  postgres: BenchPostgres,
  { nodes, processes, history }: SceneOptions,
  measure: (scene: Scene) => Promise<number>,
): Promise<number> {
  const databaseUrl = await postgres.freshDatabase("bench_recovery")
  const addresses = await Promise.all(nodes.map((node) => node.start()))
  const rpc = addresses.map(({ url }) => url).join(",")
  const connection = await Connection.open({ url: databaseUrl, applicationName: "tidemark bench" })
  const timers = new Set<NodeJS.Timeout>()
  const children: ReturnType<typeof start>[] = []
  const derived = async (height: number): Promise<void> => {
    const giveUpAt = performance.now() + patienceMs
    while (!(await isDerived(connection, height))) {
      if (performance.now() > giveUpAt) throw new Error(`block ${height} was not derived in time`)
      await systemClock.sleep(lookMs)
    }
  }
  try {
    children.push(start({ rpc, databaseUrl }))
    await derived(history)
    for (let more = 1; more < processes; more++) children.push(start({ rpc, databaseUrl }))
    return await measure({
      derived,
      tick: (growing) => {
        const timer = setInterval(() => {
          for (const node of growing) node.setHead(node.head + 1)
        }, blockMs)
        timers.add(timer)
        return () => clearInterval(timer)
      },
      killFirst: () => children[0]!.kill("SIGKILL"),
    })
  } finally {
    for (const timer of timers) clearInterval(timer)
    for (const child of children) await child.kill("SIGTERM")
    await connection.end()
    for (const node of nodes) await node.stop()
  }
}

function start({ rpc, databaseUrl }: { rpc: string; databaseUrl: string }) {
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
  return {
    kill: async (signal: NodeJS.Signals): Promise<void> => {
      child.kill(signal)
      await exited
      forget()
    },
  }
}

async function isDerived(connection: Connection, height: number): Promise<boolean> {
  const { rows } = await connection.query<{ derived: boolean | null }>(
    "select count(*) > 1 and bool_and(heights @> $1::int8) as derived from app.coverage",
    [height],
  )
  return rows[0]!.derived === true
}
