// The most memory the product's process takes: over ordinary blocks, and with one block of 50,000 logs among them.

import { startChain, startStandardChain } from "../environment/standard-chain.js"
import { ingestCommand } from "../environment/tidemark-command.js"
import { interleave, type Variant } from "../measure/interleave.js"
import { measureRun } from "../measure/measure-run.js"
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
    const goals = new Map([
      ["ordinary blocks, 1 thread", 300],
      ["ordinary blocks, 2 threads", 300],
      ["one block of 50,000 logs, 1 thread", 512],
      ["one block of 50,000 logs, 2 threads", 512],
    ])
    const [ordinary1, ordinary2, huge1, huge2] = [...goals.keys()]
    const results = await interleave(
      [
        variant(ordinary1!, standard.url, blocks, 1),
        variant(huge1!, huge.url, hugeChain.blocks, 1),
        variant(ordinary2!, standard.url, blocks, 2),
        variant(huge2!, huge.url, hugeChain.blocks, 2),
      ],
      { rounds, onResult: (name, round, rss) => say(`round ${round + 1}, ${name}: ${rss.toFixed(0)} MB`) },
    )
    await standard.stop()
    await huge.stop()
    return {
      tables: [
        {
          columns: ["", "peak RSS MB", "goal"],
          rows: [...goals].map(([name, goal]) => [
            name,
            Math.max(...results.get(name)!).toFixed(0),
            `< ${goal}`,
          ]),
        },
      ],
      notes: [
        `The largest of ${rounds} runs each, as the kernel counts it (VmHWM) for the whole process; ordinary blocks: ${blocks.toLocaleString("en")} of 50 transactions and 60 logs; the huge block lies among ${hugeChain.blocks} ordinary ones.`,
      ],
    }
  },
}
