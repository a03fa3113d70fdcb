// `tidemark workers`: the graph of what derives from what and how far each worker is; pause, limit, derive anew. Acts are audited.

import { forgetQueues } from "../families/evm/indexes/forget-observed.js"
import { IndexerError } from "../platform/errors.js"
import { readChainStatus } from "../status/read-chain-status.js"
import { readProcesses } from "../status/read-status-rows.js"
import { workerJson } from "../status/status-json.js"
import { downstreamOf } from "../workers/downstream.js"
import { rederiveWorker } from "../workers/postgres/rederive-worker.js"
import { readStoredWorkers } from "../workers/read-stored-workers.js"
import { steerWorker, type WorkerSteering } from "../workers/steer-worker.js"
import { type CliIo, lookOf, printJson } from "./cli-io.js"
import { type FoundChain, isMissingSchema, missingSchema, withChains } from "./find-chains.js"
import { onlyChain } from "./only-chain.js"
import { parseFlagsAndWords, usage } from "./parse-flags.js"
import { renderWorkers } from "./render-workers.js"
import { derivedWorkerNames, noSuchWorker } from "./worker-names.js"

export const workersHelp = `Usage: tidemark workers list | pause | resume | concurrency | rederive [options]

  list                          what derives from what, and how far each worker is
  pause NAME [--reason TEXT]    nobody claims ranges of it any more; what is under way is finished
  resume NAME                   takes that back
  concurrency NAME N | none     at most N ranges of it at once, over all processes
  rederive NAME [--yes]         drops the tables of this worker and of all that depend on it; the next start
                                makes them anew and derives them from raw

  --chain NAME    only this chain; needed by all but list where there are several
  --json          as JSON; heights are strings
  --yes           rederive without asking
  --config FILE   another file than tidemark.config.ts

Running processes follow pause, resume and concurrency within a second. rederive is refused while a process with
the role work runs.
`

const command = "workers"
const flagTypes = {
  chain: "string",
  config: "string",
  reason: "string",
  json: "boolean",
  yes: "boolean",
} as const

const wordsOf: Readonly<Record<string, readonly string[]>> = {
  list: [],
  pause: ["NAME"],
  resume: ["NAME"],
  concurrency: ["NAME", "N"],
  rederive: ["NAME"],
}

/** Longer than a living process is ever silent. */
const workSeenWithinMs = 15_000

type Flags = ReturnType<typeof parseWorkerFlags>["flags"]
const parseWorkerFlags = (argv: readonly string[], words: readonly string[]) =>
  parseFlagsAndWords(argv, { command, flags: flagTypes, words })

export async function workersCommand([act, ...argv]: readonly string[], io: CliIo): Promise<number> {
  const expected = act !== undefined && Object.hasOwn(wordsOf, act) ? wordsOf[act] : undefined
  if (act === undefined || expected === undefined) {
    throw usage(
      act === undefined
        ? `workers needs one of ${Object.keys(wordsOf).join(", ")}`
        : `workers cannot ${JSON.stringify(act)}`,
      command,
    )
  }
  const {
    flags,
    words: [worker = "", limit = ""],
  } = parseWorkerFlags(argv, expected)
  if (flags.reason !== undefined && act !== "pause") throw usage("--reason belongs to pause", command)
  const concurrency = act === "concurrency" ? parseLimit(limit) : null
  return withChains(io, { chain: flags.chain, config: flags.config }, async (chains) => {
    if (act === "list") return list(io, { chains, flags })
    const chain = onlyChain(chains, command)
    switch (act) {
      case "pause":
        return steer(io, { chain, flags, worker, act, to: { paused: { reason: flags.reason ?? null } } })
      case "resume":
        return steer(io, { chain, flags, worker, act, to: { paused: false } })
      case "concurrency":
        return steer(io, { chain, flags, worker, act, to: { concurrency } })
      default:
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

async function list(
  io: CliIo,
  { chains, flags }: { chains: readonly FoundChain[]; flags: Flags },
): Promise<number> {
  const found = await Promise.all(chains.map(readStatus))
  if (flags.json) {
    printJson(io, {
      chains: found.map(({ name, workers }) => ({ chain: name, workers: workers.map(workerJson) })),
    })
  } else {
    io.stdout.write(found.map((status) => renderWorkers(status, lookOf(io))).join("\n"))
  }
  return 0
}

async function readStatus({ name, raw, app }: FoundChain) {
  try {
    return await readChainStatus(raw, {
      name,
      app,
      storeSize: async () => ({ rawBytes: null, appBytes: null }),
    })
  } catch (error) {
    throw isMissingSchema(error) ? missingSchema(raw.address, error) : error
  }
}

interface SteerOptions {
  readonly chain: FoundChain
  readonly flags: Flags
  readonly worker: string
  readonly act: "pause" | "resume" | "concurrency"
  readonly to: WorkerSteering
}

async function steer(io: CliIo, { chain, flags, worker, act, to }: SteerOptions): Promise<number> {
  const known = await derivedWorkerNames(chain)
  const isDone = await chain.app.transaction((tx) => steerWorker(tx, { worker, actor: io.actor, ...to }))
  if (!isDone) throw noSuchWorker(worker, { chain, known })
  if (flags.json) printJson(io, { chain: chain.name, worker, act, ...json(to) })
  else io.stdout.write(`${said(worker, to)}\n`)
  return 0
}

const json = ({ paused, concurrency }: WorkerSteering) => ({
  ...(paused === undefined ? {} : { paused: paused !== false }),
  ...(concurrency === undefined ? {} : { concurrency }),
})

function said(worker: string, { paused, concurrency }: WorkerSteering): string {
  if (paused) return `paused ${worker}; what it has under way is finished, and those that depend on it wait`
  if (paused === false) return `resumed ${worker}`
  return concurrency == null
    ? `${worker} has no limit now`
    : `${worker} does ${concurrency} range${concurrency === 1 ? "" : "s"} at once now`
}

async function rederive(
  io: CliIo,
  { chain, flags, worker }: { chain: FoundChain; flags: Flags; worker: string },
): Promise<number> {
  await refuseWhileWorking(chain)
  const known = await derivedWorkerNames(chain)
  const stored = await readStoredWorkers(chain.app)
  const below = downstreamOf(stored, [worker])
  if (!flags.yes && below.includes(worker)) {
    const tables = stored.filter(({ name }) => below.includes(name)).flatMap((one) => one.tables)
    if (!(await confirmed(io, { chain, worker, below, tables }))) {
      io.stderr.write("nothing was dropped\n")
      return 1
    }
  }
  const done = await rederiveWorker(chain.app, { worker, actor: io.actor, forget: forgetQueues })
  if (!done) throw noSuchWorker(worker, { chain, known })
  if (flags.json) printJson(io, { chain: chain.name, rederive: done.workers, dropped: done.tables })
  else {
    io.stdout.write(
      `dropped ${done.tables.length} tables of ${done.workers.join(", ")}\nthe next \`tidemark start\` makes them anew and derives them from raw\n`,
    )
  }
  return 0
}

/** A running process holds definitions whose tables would vanish under it, and would not make them again. */
async function refuseWhileWorking({ name, raw }: FoundChain): Promise<void> {
  const working = (await readProcesses(raw, workSeenWithinMs)).filter(({ roles }) => roles.includes("work"))
  if (working.length === 0) return
  throw new IndexerError(
    "STILL_RUNNING",
    `${working.map(({ host, pid }) => `${host}:${pid}`).join(", ")} derive${working.length === 1 ? "s" : ""} ${name}: stop every process with the role work first (one that was killed is forgotten after ${workSeenWithinMs / 1_000} s), and start them again afterwards. The embedded database ends with its process: run \`tidemark start --roles ingest\` meanwhile.`,
  )
}

async function confirmed(
  io: CliIo,
  question: { chain: FoundChain; worker: string; below: readonly string[]; tables: readonly string[] },
): Promise<boolean> {
  if (!io.ask) throw usage("rederive drops tables, so it needs --yes where nobody can be asked", command)
  const { chain, worker, below, tables } = question
  const others = below.filter((name) => name !== worker)
  io.stderr.write(
    `${worker} of ${chain.name}${others.length > 0 ? ` and all that depend on it (${others.join(", ")})` : ""} will be derived anew from raw. Dropped are ${tables.map((table) => `app.${table}`).join(", ")}.\n`,
  )
  return /^y(es)?$/i.test((await io.ask("Drop them? [y/N] ")).trim())
}
