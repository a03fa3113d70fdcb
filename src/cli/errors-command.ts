// `tidemark errors`: lists what went wrong with blocks, newest first, and marks errors as resolved.

import { countOpenErrors, listErrors, type StoredError } from "../indexing-errors/list-errors.js"
import { resolveErrors } from "../operations/resolve-errors.js"
import { type CliIo, lookOf, print } from "./cli-io.js"
import { type FoundChain, onlyChain, withChains } from "./find-chains.js"
import { chainFlags, chooseAct, type FlagValues, heightFlag, parseFlags, usage } from "./parse-flags.js"
import { renderErrors } from "./render-errors.js"

export const errorsHelp = `Usage: tidemark errors list | resolve [options]

  list                           open errors, newest first, and how many each worker has
  resolve --worker NAME          marks them as dealt with; one that is seen again is open again
  resolve --worker NAME --height N
  resolve --all                  the same for all workers

  --worker NAME   only this worker
  --all           list: resolved ones too
  --limit N       list: at most so many, 20 unless given
  --chain NAME    only this chain; needed by resolve where there are several
  --json          as JSON; heights are strings
  --config FILE   another file than tidemark.config.ts

FATAL needs a person; WARN is retried automatically. An error is resolved when its block is stored or derived after all.
`

const command = "errors"
const maxLimit = 1_000
const flagTypes = {
  ...chainFlags,
  worker: "string",
  height: "string",
  limit: "string",
  all: "boolean",
} as const

type Flags = FlagValues<typeof flagTypes>

export async function errorsCommand([word, ...argv]: readonly string[], io: CliIo): Promise<number> {
  const act = chooseAct(word, { command, acts: ["list", "resolve"] })
  const flags = parseFlags(argv, { command, flags: flagTypes })
  const height = flags.height === undefined ? undefined : heightFlag(flags.height, command)
  if (act === "list" && height !== undefined) throw usage("--height belongs to resolve", command)
  if (act === "resolve" && (flags.worker === undefined) === !flags.all) {
    throw usage("resolve needs either --worker or --all", command)
  }
  const limit = limitFlag(flags.limit)
  return withChains(io, flags, async (chains) => {
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
  const asked = {
    limit,
    ...(flags.worker === undefined ? {} : { worker: flags.worker }),
    ...(flags.all ? {} : { resolved: false }),
  }
  const found = await Promise.all(
    chains.map(async ({ name, raw, app }) => ({
      chain: name,
      open: new Map([...(await countOpenErrors(raw, "raw")), ...(await countOpenErrors(app, "app"))]),
      errors: [...(await listErrors(raw, "raw", asked)), ...(await listErrors(app, "app", asked))]
        .sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime())
        .slice(0, limit),
    })),
  )
  print(io, {
    json: flags.json,
    value: {
      chains: found.map(({ chain, open, errors }) => ({
        chain,
        open: Object.fromEntries(open),
        errors: errors.map(errorJson),
      })),
    },
    text: found.map((one) => renderErrors(one, lookOf(io))).join(""),
  })
  return 0
}

async function resolve(
  io: CliIo,
  { chain, flags, height }: { chain: FoundChain; flags: Flags; height: number | undefined },
): Promise<number> {
  const counts = await resolveErrors(chain, { actor: io.actor, worker: flags.worker, height })
  const lines = [...counts].map(([worker, count]) => `resolved ${count} error${count === 1 ? "" : "s"} of ${worker}\n`)
  print(io, {
    json: flags.json,
    value: { chain: chain.name, resolved: Object.fromEntries(counts) },
    text: lines.length === 0 ? "no error is open there\n" : lines.join(""),
  })
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
  raw_data: error.rawData?.toString() ?? null,
  raw_ref: error.rawRef,
  first_seen_at: error.createdAt.toISOString(),
  updated_at: error.updatedAt.toISOString(),
})
