// `tidemark rollback --to H`: the way out of a halt, when the node is right after all. Says first what it would take back; audited.

import { IndexerError } from "../platform/errors.js"
import { heightFrom } from "../postgres/postgres-error.js"
import { rawIngester } from "../raw/raw-ingester.js"
import { finishRollbackPatiently } from "../rollback/finish-rollback.js"
import { openAuditedIntent } from "../rollback/rollback-intent.js"
import { type CliIo, printJson } from "./cli-io.js"
import { type FoundChain, withChains } from "./find-chains.js"
import { onlyChain } from "./only-chain.js"
import { heightFlag, parseFlags, usage } from "./parse-flags.js"

export const rollbackHelp = `Usage: tidemark rollback --to H [options]

  --to H          the last block that stays; everything above it is taken back, raw and derived
  --yes           does it; without it only what would happen is said
  --chain NAME    needed where there are several chains
  --json          as JSON; heights are strings
  --config FILE   another file than tidemark.config.ts

Running processes go on by themselves afterwards, and store what the node has above H. A halt for a reorganisation
(\`tidemark status\` names it) is ended by it.
`

const command = "rollback"
const flagTypes = {
  to: "string",
  yes: "boolean",
  chain: "string",
  json: "boolean",
  config: "string",
} as const

interface Loss {
  readonly start: number
  readonly highest: number
  readonly epoch: number
  readonly halt: string | null
  readonly blocks: number
  readonly transactions: number
  readonly events: number
  readonly ancestorHash: string | null
}

export async function rollbackCommand(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = parseFlags(argv, { command, flags: flagTypes })
  if (flags.to === undefined) throw usage("rollback needs --to, the last block that stays", command)
  const to = heightFlag(flags.to, command)
  return withChains(io, { chain: flags.chain, config: flags.config }, async (chains) => {
    const chain = onlyChain(chains, command)
    const loss = await readLoss(chain, to)
    const isDone = flags.yes === true && (await rollback(io, { chain, to, loss }))
    if (flags.json) {
      const { blocks, transactions, events, halt } = loss
      printJson(io, { chain: chain.name, to: String(to), done: isDone, blocks, transactions, events, halt })
    } else {
      io.stdout.write(
        `${isDone ? "Took back" : "Would take back"} ${loss.blocks} blocks (${to + 1} to ${loss.highest}) of ${chain.name} with ${loss.transactions} transactions and ${loss.events} events, and all that was derived from them.\n`,
      )
      if (loss.halt && !isDone) io.stdout.write(`Ingestion halts: ${loss.halt}\n`)
      if (!isDone) io.stdout.write("Nothing was done. Give --yes to do it.\n")
    }
    return 0
  })
}

async function rollback(
  io: CliIo,
  { chain, to, loss }: { chain: FoundChain; to: number; loss: Loss },
): Promise<boolean> {
  const id = io.random.uuid()
  const request = {
    ...{ id, from: to + 1, ancestorHash: loss.ancestorHash, epoch: loss.epoch },
    reason: "operator",
  }
  const details = { id, to, blocks: loss.blocks, halt: loss.halt }
  const opened = await openAuditedIntent(chain.raw, request, {
    actor: io.actor,
    action: "rollback",
    details,
  })
  if (!opened) {
    throw new IndexerError(
      "ROLLBACK_OPEN",
      "another rollback is under way, or was finished just now; look at `tidemark status` and try again",
    )
  }
  await finishRollbackPatiently({ raw: chain.raw, app: chain.app, random: io.random })
  return true
}

async function readLoss({ raw, name }: FoundChain, to: number): Promise<Loss> {
  const {
    rows: [row],
  } = await raw.query<Record<string, string | null> & { ancestor: Buffer | null }>(
    `select start_height, chain_epoch, halt_reason,
       (select upper(range_merge(heights)) - 1 from raw.coverage where worker_type = $2 and not isempty(heights)) as highest,
       (select hash from raw.blocks where height = $1) as ancestor,
       (select count(*) from raw.blocks where height > $1) as blocks,
       (select coalesce(sum(transaction_count), 0) from raw.blocks where height > $1) as transactions,
       (select coalesce(sum(event_count), 0) from raw.blocks where height > $1) as events
     from raw.chain_state`,
    [to, rawIngester],
  )
  const highest = row?.["highest"] == null ? undefined : heightFrom(row["highest"])
  if (!row || highest === undefined || highest <= to) {
    throw new IndexerError("NOT_FOUND", `${name} has nothing stored above block ${to}`)
  }
  const start = heightFrom(row["start_height"]!)
  if (to < start - 1)
    throw usage(`${name} starts at block ${start}: --to cannot lie below ${start - 1}`, command)
  return {
    start,
    highest,
    epoch: Number(row["chain_epoch"]),
    halt: row["halt_reason"] ?? null,
    blocks: Number(row["blocks"]),
    transactions: Number(row["transactions"]),
    events: Number(row["events"]),
    ancestorHash: row.ancestor ? `0x${row.ancestor.toString("hex")}` : null,
  }
}
