// `tidemark workers`: the graph of what derives from what and how far each worker is; pause, limit, derive again.

import { planRederive, rederiveWorker } from "../operations/rederive-worker.js"
import { steerWorker, type WorkerSteering } from "../operations/steer-worker.js"
import { readChainStatus } from "../status/read-chain-status.js"
import { workerJson } from "../status/status-json.js"
import { type CliIo, confirm, lookOf, print } from "./cli-io.js"
import { type FoundChain, onlyChain, withChains } from "./find-chains.js"
import { chainFlags, chooseAct, type FlagValues, parseFlagsAndWords, usage } from "./parse-flags.js"
import { renderWorkers } from "./render-workers.js"

export const workersHelp = `Usage: tidemark workers list | pause | resume | concurrency | rederive [options]

  list                          what derives from what, and how far each worker is
  pause NAME [--reason TEXT]    no more ranges of it are claimed; ranges in progress finish
  resume NAME                   ends the pause
  concurrency NAME N | none     at most N ranges of it at once, over all processes
  rederive NAME [--yes]         drops the tables of this worker and of all that depend on it; the next start
                                creates them again and derives them from raw

  --chain NAME    only this chain; needed by all but list where there are several
  --json          as JSON; heights are strings
  --yes           rederive without asking
  --config FILE   another file than tidemark.config.ts

Running processes follow pause, resume and concurrency within a second. rederive is refused while a process with
the role work runs.
`

const command = "workers"
const flagTypes = { ...chainFlags, reason: "string", yes: "boolean" } as const

const wordsOf = {
  list: [],
  pause: ["NAME"],
  resume: ["NAME"],
  concurrency: ["NAME", "N"],
  rederive: ["NAME"],
} as const

type Act = keyof typeof wordsOf

type Flags = FlagValues<typeof flagTypes>

export async function workersCommand([word, ...argv]: readonly string[], io: CliIo): Promise<number> {
  const act = chooseAct(word, { command, acts: Object.keys(wordsOf) as Act[] })
  const {
    flags,
    words: [worker = "", limit = ""],
  } = parseFlagsAndWords(argv, { command, flags: flagTypes, words: wordsOf[act] })
  if (flags.reason !== undefined && act !== "pause") throw usage("--reason belongs to pause", command)
  const concurrency = act === "concurrency" ? parseLimit(limit) : null
  return withChains(io, flags, async (chains) => {
    if (act === "list") return list(io, { chains, flags })
    const chain = onlyChain(chains, command)
    switch (act) {
      case "pause":
        return steer(io, { chain, flags, worker, to: { action: act, reason: flags.reason ?? null } })
      case "resume":
        return steer(io, { chain, flags, worker, to: { action: act } })
      case "concurrency":
        return steer(io, { chain, flags, worker, to: { action: act, concurrency } })
      case "rederive":
        return rederive(io, { chain, flags, worker })
    }
  })
}

function parseLimit(text: string): number | null {
  if (text === "none") return null
  const limit = Number(text)
  if (/^[1-9]\d*$/.test(text) && limit < 2 ** 31) return limit
  throw usage(
    `${JSON.stringify(text)} is no limit: give a whole number from 1, or none (pause stops a worker)`,
    command,
  )
}

async function list(io: CliIo, { chains, flags }: { chains: readonly FoundChain[]; flags: Flags }): Promise<number> {
  const storeSize = async () => ({ rawBytes: null, appBytes: null, freeBytes: null, secondsPerBlock: null })
  const found = await Promise.all(chains.map((chain) => readChainStatus(chain, { ...chain, storeSize })))
  print(io, {
    json: flags.json,
    value: { chains: found.map(({ name, workers }) => ({ chain: name, workers: workers.map(workerJson) })) },
    text: found.map((status) => renderWorkers(status, lookOf(io))).join("\n"),
  })
  return 0
}

async function steer(
  io: CliIo,
  { chain, flags, worker, to }: { chain: FoundChain; flags: Flags; worker: string; to: WorkerSteering },
): Promise<number> {
  await steerWorker(chain, { actor: io.actor, worker, to })
  const now = to.action === "concurrency" ? { concurrency: to.concurrency } : { paused: to.action === "pause" }
  print(io, {
    json: flags.json,
    value: { chain: chain.name, worker, act: to.action, ...now },
    text: `${said(worker, to)}\n`,
  })
  return 0
}

function said(worker: string, to: WorkerSteering): string {
  switch (to.action) {
    case "pause":
      return `paused ${worker}; its ranges in progress finish, and workers that depend on it wait`
    case "resume":
      return `resumed ${worker}`
    case "concurrency":
      return to.concurrency === null
        ? `${worker} has no limit now`
        : `${worker} runs at most ${to.concurrency} range${to.concurrency === 1 ? "" : "s"} at once now`
  }
}

async function rederive(
  io: CliIo,
  { chain, flags, worker }: { chain: FoundChain; flags: Flags; worker: string },
): Promise<number> {
  const plan = await planRederive(chain, { worker })
  const others = plan.workers.filter((name) => name !== worker)
  const dependents = others.length > 0 ? ` and all that depend on it (${others.join(", ")})` : ""
  const tables = plan.tables.map((table) => `app.${table}`).join(", ")
  const isSure =
    flags.yes ||
    !plan.workers.includes(worker) ||
    (await confirm(io, {
      about: `${worker} of ${chain.name}${dependents} will be derived again from raw. Tables to drop: ${tables}.\n`,
      question: "Drop them?",
      unasked: usage("rederive drops tables, so it needs --yes without a terminal", command),
    }))
  if (!isSure) {
    io.stderr.write("nothing was dropped\n")
    return 1
  }
  const done = await rederiveWorker(chain, { actor: io.actor, worker })
  print(io, {
    json: flags.json,
    value: { chain: chain.name, rederive: done.workers, dropped: done.tables },
    text:
      `dropped ${done.tables.length} tables of ${done.workers.join(", ")}\n` +
      "the next `tidemark start` creates them again and derives them from raw\n",
  })
  return 0
}
