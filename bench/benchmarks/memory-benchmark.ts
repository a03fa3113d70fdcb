// The most memory the product's process takes: over ordinary blocks, with one block of 50,000 logs among them, and with all roles at
// once while history is stored and derived; and how many connections that takes.

import { startChain, startStandardChain } from "../environment/standard-chain.js"
import { ingestCommand } from "../environment/tidemark-command.js"
import { interleave, type Variant } from "../measure/interleave.js"
import { measureRun } from "../measure/measure-run.js"
import { watchConnections } from "../measure/watch-connections.js"
import type { Benchmark } from "./benchmark.js"

const hugeChain = { blocks: 400, hugeBlockAt: 200, hugeBlockLogs: 50_000 }

export const memoryBenchmark: Benchmark = {
  title: "Memory",
  async run({ postgres, blocks, rounds, say }) {
    const standard = await startStandardChain({ blocks })
    const huge = await startChain(hugeChain)
    const variant = (name: string, rpcUrl: string, count: number, threads: number): Variant<number> => ({
      name,
      run: async () => {
        const databaseUrl = await postgres.freshDatabase()
        const command = ingestCommand({ rpcUrl, databaseUrl, blocks: count, threads })
        return (await measureRun([command], { postgresPid: postgres.pid })).peakRssMb
      },
    })
    let connections = 0
    const allRoles = (name: string, rpcUrl: string, count: number): Variant<number> => ({
      name,
      run: async () => {
        const databaseUrl = await postgres.freshDatabase()
        const watch = await watchConnections(databaseUrl)
        try {
          const command = ingestCommand({
            rpcUrl,
            databaseUrl,
            blocks: count,
            threads: 1,
            roles: "ingest,work,maintain,serve",
          })
          return (await measureRun([command], { postgresPid: postgres.pid })).peakRssMb
        } finally {
          connections = Math.max(connections, await watch.stop())
        }
      },
    })
    const goals = new Map([
      ["ordinary blocks, 1 thread", 300],
      ["ordinary blocks, 2 threads", 300],
      ["one block of 50,000 logs, 1 thread", 512],
      ["one block of 50,000 logs, 2 threads", 512],
      ["ordinary blocks, all roles, stored and derived", 512],
      ["one block of 50,000 logs, all roles, stored and derived", 512],
    ])
    const [ordinary1, ordinary2, huge1, huge2, ordinaryAll, hugeAll] = [...goals.keys()]
    const results = await interleave(
      [
        variant(ordinary1!, standard.url, blocks, 1),
        variant(huge1!, huge.url, hugeChain.blocks, 1),
        variant(ordinary2!, standard.url, blocks, 2),
        variant(huge2!, huge.url, hugeChain.blocks, 2),
        allRoles(ordinaryAll!, standard.url, blocks),
        allRoles(hugeAll!, huge.url, hugeChain.blocks),
      ],
      { rounds, onResult: (name, round, rss) => say(`round ${round + 1}, ${name}: ${rss.toFixed(0)} MB`) },
    )
    await standard.stop()
    await huge.stop()
    return {
      tables: [
        {
          columns: ["", "peak RSS MB", "goal"],
          rows: [...goals].map(([name, goal]) => [name, Math.max(...results.get(name)!).toFixed(0), `< ${goal}`]),
        },
      ],
      notes: [
        `The largest of ${rounds} runs each, as the kernel counts it (VmHWM) for the whole process; ordinary blocks: ${blocks.toLocaleString("en")} of 50 transactions and 60 logs; the huge block lies among ${hugeChain.blocks} ordinary ones.`,
        `With all roles the process had ${connections} connections to the database at most (goal: 12), looked at ten times a second.`,
      ],
    }
  },
}
