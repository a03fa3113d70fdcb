// `tidemark leases`: what is unfinished, and the two things a person may do about a DEAD block. Both are audited.

import type { LeaseRow, LeaseStatus } from "../coordination/lease-store.js"
import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import { containsHeight } from "../domain/range-set.js"
import { IndexerError } from "../platform/errors.js"
import type { Database } from "../postgres/database.js"
import type { Queryable } from "../postgres/transaction.js"
import { rawIngester } from "../raw/raw-ingester.js"
import { leaseJson } from "../status/status-json.js"
import { refetchBlocks } from "../verify/refetch-blocks.js"
import { reopenHeights } from "../workers/postgres/reopen-heights.js"
import { type CliIo, lookOf, printJson } from "./cli-io.js"
import { type FoundChain, isMissingSchema, missingSchema, withChains } from "./find-chains.js"
import { onlyChain } from "./only-chain.js"
import { heightFlag, parseFlags, usage } from "./parse-flags.js"
import { renderLeases } from "./render-leases.js"
import { derivedWorkerNames, noSuchWorker } from "./worker-names.js"

export const leasesHelp = `Usage: tidemark leases list | retry | skip [options]

  list                       what is leased, failed or DEAD
  retry --height N           tries the DEAD, failed or skipped block at this height again, at once
  retry --all-dead           the same for every DEAD block
  skip --height N [--yes]    counts a DEAD block as done without its data; every answer over it says so

  --worker NAME   only this worker (retry --height and skip: ${rawIngester} unless given)
  --chain NAME    only this chain; needed by retry and skip where there are several
  --json          as JSON
  --yes           skip without asking
  --config FILE   another file than tidemark.config.ts
`

const command = "leases"
const flagTypes = {
  chain: "string",
  config: "string",
  worker: "string",
  height: "string",
  "all-dead": "boolean",
  yes: "boolean",
  json: "boolean",
} as const

type Flags = ReturnType<typeof parseLeaseFlags>
const parseLeaseFlags = (argv: readonly string[]) => parseFlags(argv, { command, flags: flagTypes })

export async function leasesCommand([act, ...argv]: readonly string[], io: CliIo): Promise<number> {
  if (act !== "list" && act !== "retry" && act !== "skip") {
    throw usage(
      act === undefined ? "leases needs one of list, retry, skip" : `leases cannot ${JSON.stringify(act)}`,
      command,
    )
  }
  const flags = parseLeaseFlags(argv)
  const height = flags.height === undefined ? undefined : heightFlag(flags.height, command)
  if (act === "skip" && height === undefined) throw usage("skip needs --height", command)
  if (act === "retry" && (height === undefined) === !flags["all-dead"]) {
    throw usage("retry needs either --height or --all-dead", command)
  }
  const options = { chain: flags.chain, config: flags.config }
  return withChains(io, options, async (chains) => {
    if (act === "list") return list(io, { chains, flags })
    const chain = onlyChain(chains, command)
    return act === "retry" ? retry(io, { chain, flags, height }) : skip(io, { chain, flags, height: height! })
  })
}

async function list(
  io: CliIo,
  { chains, flags }: { chains: readonly FoundChain[]; flags: Flags },
): Promise<number> {
  const found = await Promise.all(
    chains.map(async (chain) => ({
      chain: chain.name,
      leases: (await unfinished(io, chain)).filter(
        ({ workerType }) => flags.worker === undefined || workerType === flags.worker,
      ),
    })),
  )
  if (flags.json) {
    printJson(io, { chains: found.map(({ chain, leases }) => ({ chain, leases: leases.map(leaseJson) })) })
  } else {
    for (const { chain, leases } of found) io.stdout.write(renderLeases({ chain, leases }, lookOf(io)))
  }
  return 0
}

async function retry(
  io: CliIo,
  { chain, flags, height }: { chain: FoundChain; flags: Flags; height: number | undefined },
): Promise<number> {
  const targets =
    height === undefined
      ? (await unfinished(io, chain))
          .filter(
            ({ status, workerType }) => status === "DEAD" && (flags.worker ?? workerType) === workerType,
          )
          .map(({ workerType, range }) => ({ workerType, height: range.from }))
      : [{ workerType: flags.worker ?? rawIngester, height }]
  const retried: typeof targets = []
  for (const target of targets) {
    const isDue = await storeOf(io, chain, target.workerType).retry({ actor: io.actor, ...target })
    if (isDue || (await reopenSkipped(io, chain, target))) retried.push(target)
  }
  if (height !== undefined && retried.length === 0) {
    throw await nothingThere(io, {
      chain,
      workerType: targets[0]!.workerType,
      height,
      what: "no DEAD or failed range",
      statuses: ["DEAD", "FAILED"],
    })
  }
  say(io, { flags, act: "retried", chain, heights: retried })
  return 0
}

/** A block that was skipped is fetched or derived after all, and with it whatever depends on it. */
async function reopenSkipped(
  { actor, random }: CliIo,
  { raw, app }: FoundChain,
  { workerType, height }: { workerType: string; height: number },
): Promise<boolean> {
  const isRaw = workerType === rawIngester
  const { rows } = await (isRaw ? raw : app).query(
    `select 1 from ${isRaw ? "raw" : "app"}.coverage where worker_type = $1 and skipped @> $2::int8`,
    [workerType, height],
  )
  if (rows.length === 0) return false
  const range = { from: height, to: height + 1 }
  if (!isRaw) {
    const request = { worker: workerType, heights: [range], actor, action: "retry" }
    return reopenHeights({ executor: app, random }, request)
  }
  // Derived rows of it there are none, but workers cover it as if there were nothing to derive.
  await refetchBlocks({ raw, app, random }, { heights: range, actor, action: "retry" })
  return true
}

async function skip(
  io: CliIo,
  { chain, flags, height }: { chain: FoundChain; flags: Flags; height: number },
): Promise<number> {
  const workerType = flags.worker ?? rawIngester
  const dead = (await unfinished(io, chain)).find(
    (lease) => lease.workerType === workerType && lease.status === "DEAD" && lease.range.from === height,
  )
  if (!dead) {
    throw await nothingThere(io, {
      chain,
      workerType,
      height,
      what: "no DEAD block to skip",
      statuses: ["DEAD"],
    })
  }
  if (!flags.yes && !(await confirmed(io, { chain, height, dead }))) {
    io.stderr.write("nothing was skipped\n")
    return 1
  }
  if (!(await storeOf(io, chain, workerType).skip({ actor: io.actor, workerType, height }))) {
    throw new IndexerError(
      "NOT_FOUND",
      `Block ${height} of ${workerType} is no longer DEAD; nothing was skipped.`,
    )
  }
  say(io, { flags, act: "skipped", chain, heights: [{ workerType, height }] })
  return 0
}

/** Names who does have such a range there: a DEAD block is often looked for under the wrong worker. */
async function nothingThere(
  io: CliIo,
  {
    chain,
    workerType,
    height,
    what,
    statuses,
  }: {
    chain: FoundChain
    workerType: string
    height: number
    what: string
    statuses: readonly LeaseStatus[]
  },
): Promise<IndexerError> {
  const known = await derivedWorkerNames(chain)
  if (workerType !== rawIngester && !known.includes(workerType)) {
    return noSuchWorker(workerType, { chain, known: [rawIngester, ...known] })
  }
  const others = (await unfinished(io, chain)).filter(
    ({ status, range }) => statuses.includes(status) && containsHeight([range], height),
  )
  const hint =
    others.length > 0
      ? `${others.map((lease) => lease.workerType).join(", ")} has: give --worker`
      : "`tidemark leases list` shows what there is"
  return new IndexerError(
    "NOT_FOUND",
    `${workerType} of ${chain.name} has ${what} at block ${height}; ${hint}.`,
  )
}

async function confirmed(
  io: CliIo,
  { chain, height, dead }: { chain: FoundChain; height: number; dead: LeaseRow },
): Promise<boolean> {
  if (!io.ask)
    throw usage("skip leaves a hole in the data, so it needs --yes where nobody can be asked", command)
  io.stderr.write(
    `Block ${height} of ${dead.workerType} (${chain.name}) failed ${dead.attempt} times: ${dead.lastErrorCode ?? "BUG"} ${dead.lastError ?? ""}\n`,
  )
  const answer = await io.ask(
    "Its data will be missing for good, and every answer over it will say so. Skip it? [y/N] ",
  )
  return /^y(es)?$/i.test(answer.trim())
}

function say(
  io: CliIo,
  done: {
    flags: Flags
    act: string
    chain: FoundChain
    heights: readonly { workerType: string; height: number }[]
  },
): void {
  const { act, chain, heights } = done
  if (done.flags.json) {
    const blocks = heights.map(({ workerType, height }) => ({ worker: workerType, height: String(height) }))
    printJson(io, { chain: chain.name, [act]: blocks })
    return
  }
  for (const { workerType, height } of heights) io.stdout.write(`${act} block ${height} of ${workerType}\n`)
  if (heights.length === 0) io.stdout.write("no block is DEAD\n")
}

async function unfinished(io: CliIo, chain: FoundChain): Promise<readonly LeaseRow[]> {
  try {
    const raw = await leaseStore(io, chain.raw, "raw").snapshot()
    const app = await leaseStore(io, chain.app, "app").snapshot()
    return [...raw.leases, ...app.leases]
  } catch (error) {
    throw isMissingSchema(error) ? missingSchema(chain.raw.address, error) : error
  }
}

/** The raw ingester's leases lie with the raw blocks, those of all other workers with what they derive. */
const storeOf = (io: CliIo, { raw, app }: FoundChain, worker: string): PostgresLeaseStore<Queryable> =>
  worker === rawIngester ? leaseStore(io, raw, "raw") : leaseStore(io, app, "app")

const leaseStore = (
  { random }: CliIo,
  executor: Database,
  schema: "raw" | "app",
): PostgresLeaseStore<Queryable> => new PostgresLeaseStore<Queryable>({ executor, schema, random })
