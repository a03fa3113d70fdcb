// Where the CPU of an ingest thread goes, per block, beside the probe's: what there is left to win, and in which file.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BenchPostgres } from "../environment/bench-postgres.js"
import { compileProbes, probeCommand } from "../environment/probe-commands.js"
import { startStandardChain } from "../environment/standard-chain.js"
import { onStop } from "../environment/stop-all.js"
import { ingestCommand } from "../environment/tidemark-command.js"
import { readProfiles, type WorkRule, type WorkTimes } from "../measure/cpu-profile.js"
import { type Command, type Measured, measureRun } from "../measure/measure-run.js"
import type { Benchmark } from "./benchmark.js"

/** First fit wins; of a stack, the innermost frame that fits one. */
const rules: readonly WorkRule[] = [
  { work: "idle", functionName: /^\(idle\)$/ },
  { work: "garbage collection", functionName: /^\(garbage collector\)$/ },
  { work: "reply to text", functionName: /^(latin1Slice|isAscii)$/ },
  // JSON.parse is no frame of its own: it counts for the function that calls it.
  { work: "JSON.parse", file: /\/json-rpc-reply\.js$/ },
  { work: "JSON.parse", file: /\/probe-worker\.js$/, functionName: /^$/ },
  { work: "verification: blooms", file: /\/(bloom|keccak)\.js$/ },
  { work: "verification: blooms", functionName: /^wasm-function\[0\]$/, file: /wasm:/ },
  { work: "verification: the rest", file: /\/(verify-block|fetch-blocks|fetch-range)\.js$/ },
  { work: "decode", file: /\/(decode-block|difference|rebuild-json)\.js$/ },
  {
    work: "encode",
    file: /\/(raw-writer|copy-buffer|numeric|encode-rows|row-buffer)\.js$|\/postgres\/hex\.js$/,
  },
  { work: "HTTP", file: /\/undici\/|\/http-endpoint\.js$|\/(json-rpc-client|prefetch|probe-worker)\.js$/ },
  { work: "Postgres", file: /\/pg(-[a-z-]+)?\/|\/(connection|transaction|copy-rows|writers)\.js$/ },
  { work: "loading modules", file: /node:internal\/modules\/|node:internal\/bootstrap\// },
]

const works = [...new Set(rules.map(({ work }) => work)), "other"].filter((work) => work !== "idle")

interface Profiled {
  readonly threads: readonly WorkTimes[]
  readonly measured: Measured
}

export const profileBenchmark: Benchmark = {
  title: "Where the time goes",
  async run({ postgres, blocks, say }) {
    compileProbes()
    const chain = await startStandardChain({ blocks })
    const rpc = chain.url
    const database = (): Promise<string> => postgres.freshDatabase()
    say("the probe, then Tidemark with one thread, both with --cpu-prof")
    const probe = await profile(postgres, probeCommand({ rpc, database: await database(), blocks, writers: 1 }))
    const product = await profile(
      postgres,
      ingestCommand({ rpcUrl: rpc, databaseUrl: await database(), blocks, threads: 1 }),
    )
    await chain.stop()
    const perBlock = (us: number): string => Math.round(us / blocks).toLocaleString("en")
    const columns = [...product.threads, ...probe.threads]
    const busy = (times: WorkTimes): number => works.reduce((sum, work) => sum + (times.get(work) ?? 0), 0)
    const row = (name: string, pick: (times: WorkTimes) => number): string[] => [
      name,
      ...columns.map((times) => perBlock(pick(times))),
    ]
    const total = ({ measured }: Profiled): string => perBlock(measured.cpuS * 1e6)
    return {
      tables: [
        {
          columns: [
            "µs per block",
            "Tidemark, main",
            "Tidemark, head",
            "Tidemark, ingest",
            "probe, main",
            "probe, worker",
          ],
          rows: [
            ...works.map((work) => row(work, (times) => times.get(work) ?? 0)),
            row("busy", busy),
            row("idle", (times) => times.get("idle") ?? 0),
            ["CPU of the process", "", "", total(product), "", total(probe)],
          ],
        },
      ],
      notes: [
        `One run each over ${blocks.toLocaleString("en")} blocks, sampled every millisecond of wall time: on a busy machine all rows but the last grow alike. The CPU of the process also counts threads that have no profile: those that help the garbage collector and the compiler.`,
      ],
    }
  },
}

async function profile(postgres: BenchPostgres, command: Command): Promise<Profiled> {
  const directory = await mkdtemp(join(tmpdir(), "tidemark-bench-profile-"))
  onStop(() => rm(directory, { recursive: true, force: true }))
  const args = ["--cpu-prof", `--cpu-prof-dir=${directory}`, ...command.args]
  const measured = await measureRun([{ ...command, args }], { postgresPid: postgres.pid })
  return { threads: readProfiles(directory, rules), measured }
}
