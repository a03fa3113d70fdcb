// `tidemark repair`: repairs what verify finds. Shows what it would do; does it with --yes. Every act is audited.

import { type Repair, repairChain } from "../operations/repair-chain.js"
import { type CliIo, lookOf, print } from "./cli-io.js"
import { onlyChain, withChains } from "./find-chains.js"
import { parseFlags } from "./parse-flags.js"
import { findingsJson, renderFindings } from "./render-findings.js"
import { verifyFlags, verifying, verifyRequest } from "./verify-request.js"

export const repairHelp = `Usage: tidemark repair [options]

Verifies, and repairs what can be repaired: lookups are written or deleted, uncovered rows deleted, state folded again,
damaged blocks removed and fetched again, derived heights derived again. Without --yes it only shows what it would do.

  --yes           do it
  --refetch       where derived rows do not fit their block, fetch the block again instead of trusting it
  --from N        only from this block
  --to N          only up to this block
  --rpc URL       blocks that differ on this node are removed and fetched again too
  --whole         with --rpc: compare all fields of every block with it, whatever the hashes say
  --limit N       repair at most this many findings at once; 1000
  --checks LIST   only what these find, such as folds,raw-rows; folds are always compared
  --chain NAME    only this chain; needed where there are several
  --json          as JSON; heights are strings
  --config FILE   another file than tidemark.config.ts

Blocks are fetched and heights derived by the running processes. Exits 0 when nothing is left that needs a person.
`

const command = "repair"

export async function repairCommand(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = parseFlags(argv, { command, flags: { ...verifyFlags, yes: "boolean", refetch: "boolean" } })
  const request = verifyRequest(flags, command)
  return withChains(io, flags, async (chains, config) => {
    const chain = onlyChain(chains, command)
    const options = { actor: io.actor, refetch: flags.refetch === true, apply: flags.yes === true }
    const repair = await verifying(io, { chain, config, request }, (verifier, how) =>
      repairChain({ chain, verifier }, { ...how, ...options }),
    )
    const found = { ...repair, chain: chain.name }
    print(io, {
      json: flags.json,
      value: { ...findingsJson(found), repaired: repair.mended },
      text: `${renderFindings(found, lookOf(io))}${summary(repair)}`,
    })
    const leftOver = repair.mended ? repair.left : repair.findings
    return leftOver.length === 0 && !repair.cut ? 0 : 1
  })
}

function summary({ findings, cut, left, mended }: Repair): string {
  const mendable = findings.length - left.length
  const rest = left.length === 0 ? "" : `${left.length} need a person.\n`
  if (mendable === 0) return rest
  if (!mended) return `${mendable} can be repaired: run it again with --yes.\n${rest}`
  const next = cut
    ? "Repaired lookups, rows and state. Blocks and heights need all findings: run it again, with a higher --limit."
    : `Repaired ${mendable}. \`tidemark verify\` shows whether all is well once the processes have caught up.`
  return `${next}\n${rest}`
}
