// npm run soak -- --hours N: the demo, undisturbed, and a chain of four blocks a second beside faults, for as long as one
// likes. Prints uptime, lag, errors, and what it all takes.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { urlOf } from "../../test/e2e/workplace.js"
import { readOptions, refuse } from "../../test/support/read-options.js"
import { seededRandom } from "../../test/support/seeded-random.js"
import { runTidemark } from "../../test/support/tidemark-process.js"
import { pause, waitUntil } from "../../test/support/wait-until.js"
import { residentMb } from "../chaos/resident-mb.js"
import { Scene } from "../chaos/scene.js"
import { leaseMs } from "../chaos/stage.js"
import { formatFacts } from "../chaos/summary.js"
import { Answers } from "./answers.js"
import { byThirds, ServerTime } from "./figures.js"

const usage = `npm run soak -- [--hours 1] [--seed 1]

  --hours   how long; 0.1 is six minutes
  --seed    which faults come when`
const { values: given } = readOptions(usage, {
  options: { hours: { type: "string", default: "1" }, seed: { type: "string", default: "1" } },
})
const hours = Number(given.hours)
if (!(hours > 0)) refuse(usage, "--hours is a number above 0")
const lastsMs = hours * 3_600_000
const seed = Number(given.seed)

const blockMs = 250
const startHead = 200
const faultEveryMs = 20_000
const errorGoal = 0.0001

const say = (text: string): void => console.log(text)
const scene = new Scene({ profile: "full", count: 1, seed, say })
const demoDirectory = await mkdtemp(join(tmpdir(), "tidemark-soak-demo-"))
const demo = runTidemark(["start"], { cwd: demoDirectory, env: { PORT: "0" } })
let ended = false
async function end(): Promise<void> {
  if (ended) return
  ended = true
  await demo.end("SIGTERM")
  await scene.close({ keep: false })
  await rm(demoDirectory, { recursive: true, force: true, maxRetries: 5 })
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => void end().then(() => process.exit(1)))

try {
  const random = seededRandom(seed)
  const node = await scene.node({
    ...{ blocks: startHead + Math.ceil((lastsMs + 600_000) / blockMs), startHead, blockMs, finality: 64 },
    ...{ transactionsPerBlock: 3, logsPerBlock: 8 },
  })
  const postgres = await scene.postgres()
  const stage = await scene.stage({ postgres, rpcUrl: node.url, roles: "ingest,work" })
  const witness = stage.start({ roles: "ingest,work,maintain,serve" })
  const others = [stage.start()]
  const witnessUrl = await urlOf(witness)
  const demoUrl = await urlOf(demo)
  // Each begins with history that others have made, and counts from when it was ready first.
  for (const url of [witnessUrl, demoUrl]) {
    const isReady = async (): Promise<boolean> => (await fetch(`${url}/ready?history=1`)).ok
    await waitUntil(isReady, { what: `${url} is ready`, everyMs: 250 })
  }

  const faults: Record<string, () => Promise<unknown>> = {
    killed: async () => {
      others[0] = await stage.replace(others[0]!)
    },
    stopped: async () => {
      const [victim] = others
      victim!.kill("SIGSTOP")
      await pause(leaseMs * 1.5)
      victim!.kill("SIGCONT")
    },
    cut: () =>
      stage.probe.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name like 'tidemark%' and random() < 0.5`,
      ),
    crashed: async () => {
      await postgres.stop("immediate")
      await postgres.start()
    },
  }
  const kinds = Object.keys(faults)
  const counts = Object.fromEntries(kinds.map((kind) => [kind, 0]))
  const memory: number[] = []
  const demoMemory: number[] = []
  const connections: number[] = []
  const time = new ServerTime()
  const sizeAndBlocks = async () => {
    const [size] = await stage.probe.rows<{ bytes: string }>("select pg_database_size(current_database()) as bytes")
    return { bytes: Number(size!.bytes), blocks: await stage.probe.storedBlocks() }
  }
  time.sample(await postgres.postmasterPid())
  const [first, firstSeconds] = [await sizeAndBlocks(), time.seconds]
  const began = performance.now()
  const passedMs = (): number => performance.now() - began
  const answers = {
    chain: new Answers("chain", { say, passedMs }),
    demo: new Answers("demo", { say, passedMs }),
  }
  const faulting = (async () => {
    while (passedMs() + faultEveryMs < lastsMs) {
      await pause(faultEveryMs * (0.5 + random.next()))
      const kind = kinds[random.below(kinds.length)]!
      await faults[kind]!()
      counts[kind]!++
    }
  })()
  let said = 0
  while (passedMs() < lastsMs) {
    await Promise.all([answers.chain.ask(witnessUrl), answers.demo.ask(demoUrl)])
    memory.push(residentMb(witness.pid))
    demoMemory.push(residentMb(demo.pid))
    try {
      time.sample(await postgres.postmasterPid())
      const [row] = await stage.probe.rows<{ n: number }>(
        "select count(*)::int4 as n from pg_stat_activity where application_name like 'tidemark%'",
      )
      connections.push(row!.n)
    } catch {
      // The server is restarting: that is one of the faults.
    }
    if (passedMs() > (said + 1) * 60_000) say(`${++said} min: ${JSON.stringify(counts)}, ${memory.at(-1)} MB`)
    await pause(250)
  }
  await faulting
  await waitUntil(async () => (await fetch(`${witnessUrl}/ready`)).ok, {
    what: "ready after the last fault",
    timeoutMs: 60_000,
  })
  time.sample(await postgres.postmasterPid())
  const last = await sizeAndBlocks()
  const seconds = passedMs() / 1_000
  const blocks = Math.max(1, last.blocks - first.blocks)
  const verify = stage.run(["verify"])
  const code = await verify.exit
  const looks = scene.sampled()
  say(
    formatFacts({
      hours,
      ...answers.chain.facts(),
      ...answers.demo.facts(),
      "error goal": `below ${errorGoal * 100} %`,
      faults: JSON.stringify(counts),
      blocks,
      "blocks a second": (blocks / seconds).toFixed(2),
      "MB of a process": `${byThirds(memory)} (by thirds)`,
      "MB of the demo": `${byThirds(demoMemory)} (by thirds)`,
      connections: `${byThirds(connections)} (by thirds)`,
      "disk a block": `${Math.round((last.bytes - first.bytes) / blocks)} bytes`,
      "Postgres CPU a block": `${(((time.seconds - firstSeconds) * 1_000) / blocks).toFixed(2)} ms`,
      verify: code === 0 ? "nothing wrong" : `FAILED: ${verify.lines.map(({ msg }) => msg).join("; ")}`,
      ...looks,
    }),
  )
  const { asked, failed } = answers.demo
  process.exitCode = code === 0 && failed / asked < errorGoal && stage.gaveUp().length === 0 ? 0 : 1
} finally {
  await end()
}
