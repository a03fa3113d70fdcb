// `tidemark rollback --to H`: the way out of a halt, when the node is right after all. Shows first what it would
// remove. `--cancel` ends one that nothing has acted on.

import { cancelOpenRollback, planRollback, rollbackChain } from "../operations/rollback-chain.js"
import { printable } from "../platform/printable.js"
import { type CliIo, print } from "./cli-io.js"
import { type FoundChain, onlyChain, withChains } from "./find-chains.js"
import { chainFlags, heightFlag, parseFlags, usage } from "./parse-flags.js"

export const rollbackHelp = `Usage: tidemark rollback --to H [options]
       tidemark rollback --cancel [options]

  --to H          the last block that stays; everything above it is removed, raw and derived
  --cancel        cancels the open rollback, if neither database has acted on it
  --reason TEXT   why, for the list of rollbacks
  --yes           does it; without it the command only shows what would happen
  --chain NAME    needed where there are several chains
  --json          as JSON; heights are strings
  --config FILE   another file than tidemark.config.ts

Running processes continue afterwards, and store what the node has above H. A rollback ends a halt for a
reorganisation (\`tidemark status\` names it). A cancelled rollback removes nothing; if the node still has another chain,
the processes will record the next one.
`

const command = "rollback"
const nothingDone = "Nothing was done. Give --yes to do it.\n"
const flagTypes = { ...chainFlags, to: "string", reason: "string", yes: "boolean", cancel: "boolean" } as const

export async function rollbackCommand(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = parseFlags(argv, { command, flags: flagTypes })
  if (flags.cancel && flags.to !== undefined) throw usage("rollback takes --to or --cancel, not both", command)
  if (flags.cancel) return withChains(io, flags, (chains) => cancel(io, flags, onlyChain(chains, command)))
  if (flags.to === undefined) throw usage("rollback needs --to, the last block that stays, or --cancel", command)
  const to = heightFlag(flags.to, command)
  return withChains(io, flags, async (chains) => {
    const chain = onlyChain(chains, command)
    const plan = await planRollback(chain, { to })
    if (flags.yes) await rollbackChain(chain, { actor: io.actor, plan, reason: flags.reason })
    const { blocks, transactions, events, halt } = plan
    const isDone = flags.yes === true
    const undone = `${halt ? `Ingestion halts: ${halt}\n` : ""}${nothingDone}`
    const removed = `${blocks} blocks (${to + 1} to ${plan.highest}) of ${chain.name}`
    print(io, {
      json: flags.json,
      value: { chain: chain.name, to: String(to), done: isDone, blocks, transactions, events, halt },
      text:
        `${isDone ? "Removed" : "Would remove"} ${removed} with ${transactions} transactions and ${events} events, ` +
        `and all that was derived from them.\n${isDone ? "" : undone}`,
    })
    return 0
  })
}

async function cancel(
  io: CliIo,
  { yes: isDone = false, json }: { readonly yes: boolean | undefined; readonly json: boolean | undefined },
  chain: FoundChain,
): Promise<number> {
  const { id, from, reason, removes } = await cancelOpenRollback(chain, { actor: io.actor, apply: isDone })
  const why = reason === null ? "" : ` (${printable(reason)})`
  const what = `the rollback of ${chain.name} ${removes}${why}`
  print(io, {
    json,
    value: { chain: chain.name, id, from: String(from), reason, cancelled: isDone },
    text: isDone ? `Cancelled ${what}. Nothing was removed.\n` : `Would cancel ${what}.\n${nothingDone}`,
  })
  return 0
}
