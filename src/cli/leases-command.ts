// `tidemark leases`: what is unfinished, and the two things a person may do about a DEAD block.

import { rawIngester } from "../coordination/raw-ingester.js"
import { unfinishedLeases, type WorkerBlock } from "../operations/operated-chain.js"
import { retryBlock, retryDeadBlocks } from "../operations/retry-blocks.js"
import { findDeadBlock, skipBlock } from "../operations/skip-block.js"
import { leaseJson } from "../status/status-json.js"
import { type CliIo, confirm, lookOf, print } from "./cli-io.js"
import { type FoundChain, onlyChain, withChains } from "./find-chains.js"
import { chainFlags, chooseAct, type FlagValues, heightFlag, parseFlags, usage } from "./parse-flags.js"
import { renderLeases } from "./render-leases.js"

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
  ...chainFlags,
  worker: "string",
  height: "string",
  "all-dead": "boolean",
  yes: "boolean",
} as const

type Flags = FlagValues<typeof flagTypes>

export async function leasesCommand([word, ...argv]: readonly string[], io: CliIo): Promise<number> {
  const act = chooseAct(word, { command, acts: ["list", "retry", "skip"] })
  const flags = parseFlags(argv, { command, flags: flagTypes })
  const height = flags.height === undefined ? undefined : heightFlag(flags.height, command)
  if (act === "skip" && height === undefined) throw usage("skip needs --height", command)
  if (act === "retry" && (height === undefined) === !flags["all-dead"]) {
    throw usage("retry needs either --height or --all-dead", command)
  }
  return withChains(io, flags, async (chains) => {
    if (act === "list") return list(io, { chains, flags })
    const chain = onlyChain(chains, command)
    if (height === undefined) {
      const blocks = await retryDeadBlocks(chain, { actor: io.actor, worker: flags.worker })
      return say(io, { flags, act: "retried", chain, blocks })
    }
    const block = { worker: flags.worker ?? rawIngester, height }
    if (act === "skip") return skip(io, { chain, flags, block })
    await retryBlock(chain, { actor: io.actor, ...block })
    return say(io, { flags, act: "retried", chain, blocks: [block] })
  })
}

async function list(io: CliIo, { chains, flags }: { chains: readonly FoundChain[]; flags: Flags }): Promise<number> {
  const found = await Promise.all(
    chains.map(async (chain) => ({
      chain: chain.name,
      leases: (await unfinishedLeases(chain)).filter(
        ({ worker }) => flags.worker === undefined || worker === flags.worker,
      ),
    })),
  )
  print(io, {
    json: flags.json,
    value: { chains: found.map(({ chain, leases }) => ({ chain, leases: leases.map(leaseJson) })) },
    text: found.map((one) => renderLeases(one, lookOf(io))).join(""),
  })
  return 0
}

async function skip(
  io: CliIo,
  { chain, flags, block }: { chain: FoundChain; flags: Flags; block: WorkerBlock },
): Promise<number> {
  const { attempt, lastErrorCode, lastError } = await findDeadBlock(chain, block)
  const reason = `${lastErrorCode ?? "BUG"} ${lastError ?? ""}`
  const isSure =
    flags.yes ||
    (await confirm(io, {
      about: `Block ${block.height} of ${block.worker} (${chain.name}) failed ${attempt} times: ${reason}\n`,
      question: "Its data will be missing until it is retried, and every answer over it will say so. Skip it?",
      unasked: usage("skip leaves a hole in the data, so it needs --yes without a terminal", command),
    }))
  if (!isSure) {
    io.stderr.write("nothing was skipped\n")
    return 1
  }
  await skipBlock(chain, { actor: io.actor, ...block })
  return say(io, { flags, act: "skipped", chain, blocks: [block] })
}

function say(
  io: CliIo,
  { flags, act, chain, blocks }: { flags: Flags; act: string; chain: FoundChain; blocks: readonly WorkerBlock[] },
): number {
  const lines = blocks.map(({ worker, height }) => `${act} block ${height} of ${worker}\n`)
  print(io, {
    json: flags.json,
    value: {
      chain: chain.name,
      [act]: blocks.map(({ worker, height }) => ({ worker, height: String(height) })),
    },
    text: lines.length === 0 ? "no block is DEAD\n" : lines.join(""),
  })
  return 0
}
