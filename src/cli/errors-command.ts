// `tidemark errors`: what went wrong in workers, newest first, and the word of a person that it is dealt with.

import { countOpenErrors, listErrors, type StoredError } from "../workers/list-errors.js"
import { resolveByHand } from "../workers/resolve-by-hand.js"
import { type CliIo, lookOf, printJson } from "./cli-io.js"
import { type FoundChain, isMissingSchema, missingSchema, withChains } from "./find-chains.js"
import { onlyChain } from "./only-chain.js"
import { heightFlag, parseFlags, usage } from "./parse-flags.js"
import { renderErrors } from "./render-errors.js"
import { derivedWorkerNames, noSuchWorker } from "./worker-names.js"

export const errorsHelp = `Usage: tidemark errors list | resolve [options]

  list                           open errors of workers, newest first, and how many each worker has
  resolve --worker NAME          marks them as dealt with; one that is seen again is open again
  resolve --worker NAME --height N
  resolve --all                  the same for all workers

  --worker NAME   only this worker
  --all           list: resolved ones too
  --limit N       list: at most so many, 20 unless given
  --chain NAME    only this chain; needed by resolve where there are several
  --json          as JSON; heights are strings
  --config FILE   another file than tidemark.config.ts

An error is resolved by itself when its block is derived after all: most need nobody.
`

const command = "errors"
const maxLimit = 1_000
const flagTypes = {
  chain: "string",
  config: "string",
  worker: "string",
  height: "string",
  limit: "string",
  all: "boolean",
  json: "boolean",
} as const

type Flags = ReturnType<typeof parseErrorFlags>
const parseErrorFlags = (argv: readonly string[]) => parseFlags(argv, { command, flags: flagTypes })

export async function errorsCommand([act, ...argv]: readonly string[], io: CliIo): Promise<number> {
  if (act !== "list" && act !== "resolve") {
    throw usage(
      act === undefined ? "errors needs one of list, resolve" : `errors cannot ${JSON.stringify(act)}`,
      command,
    )
  }
  const flags = parseErrorFlags(argv)
  const height = flags.height === undefined ? undefined : heightFlag(flags.height, command)
  if (act === "list" && height !== undefined) throw usage("--height belongs to resolve", command)
  if (act === "resolve" && (flags.worker === undefined) === !flags.all) {
    throw usage("resolve needs either --worker or --all", command)
  }
  const limit = limitFlag(flags.limit)
  return withChains(io, { chain: flags.chain, config: flags.config }, async (chains) => {
    if (act === "list") return list(io, { chains, flags, limit })
    return resolve(io, { chain: onlyChain(chains, command), flags, height })
  })
}

function limitFlag(text: string | undefined): number {
  if (text === undefined) return 20
  const limit = Number(text)
  if (/^[1-9]\d*$/.test(text) && limit <= maxLimit) return limit
  throw usage(`--limit is ${JSON.stringify(text)}, but must be a number from 1 to ${maxLimit}`, command)
}

async function list(
  io: CliIo,
  { chains, flags, limit }: { chains: readonly FoundChain[]; flags: Flags; limit: number },
): Promise<number> {
  const found = await Promise.all(chains.map((chain) => readErrors(chain, { flags, limit })))
  if (flags.json) {
    printJson(io, {
      chains: found.map(({ chain, open, errors }) => ({
        chain,
        open: Object.fromEntries(open),
        errors: errors.map(errorJson),
      })),
    })
  } else {
    for (const one of found) io.stdout.write(renderErrors(one, lookOf(io)))
  }
  return 0
}

async function readErrors({ name, app }: FoundChain, { flags, limit }: { flags: Flags; limit: number }) {
  const { worker, all } = flags
  try {
    const open = await countOpenErrors(app)
    const errors = await listErrors(app, {
      limit,
      ...(worker === undefined ? {} : { worker }),
      ...(all ? {} : { resolved: false }),
    })
    return { chain: name, open, errors }
  } catch (error) {
    throw isMissingSchema(error) ? missingSchema(app.address, error) : error
  }
}

async function resolve(
  io: CliIo,
  { chain, flags, height }: { chain: FoundChain; flags: Flags; height: number | undefined },
): Promise<number> {
  const { worker } = flags
  const known = await derivedWorkerNames(chain)
  const counts = await chain.app.transaction((tx) => resolveByHand(tx, { actor: io.actor, worker, height }))
  // A worker that is gone may have left errors; one that never was has none.
  if (counts.size === 0 && worker !== undefined && !known.includes(worker))
    throw noSuchWorker(worker, { chain, known })
  if (flags.json) printJson(io, { chain: chain.name, resolved: Object.fromEntries(counts) })
  else if (counts.size === 0) io.stdout.write("no error is open there\n")
  else {
    for (const [name, count] of counts)
      io.stdout.write(`resolved ${count} error${count === 1 ? "" : "s"} of ${name}\n`)
  }
  return 0
}

const errorJson = (error: StoredError) => ({
  worker: error.worker,
  height: String(error.height),
  transaction_id: error.transactionId,
  severity: error.severity,
  message: error.message,
  seen: error.seen,
  resolved: error.resolved,
  raw_ref: error.rawRef,
  first_seen_at: error.createdAt.toISOString(),
  updated_at: error.updatedAt.toISOString(),
})
