// `tidemark repair`: mends what verify finds. Shows what it would do; does it with --yes. Every act is in the audit log.

import { planRepair } from "../verify/repair-plan.js"
import { repairStore } from "../verify/repair-store.js"
import { type CliIo, lookOf, printJson } from "./cli-io.js"
import { withChains } from "./find-chains.js"
import { parseFlags, usage } from "./parse-flags.js"
import { findingsJson, renderFindings } from "./render-findings.js"
import { verifyChain, verifyFlags, verifyRequest } from "./verify-chain.js"

export const repairHelp = `Usage: tidemark repair [options]

Verifies, and mends what can be mended: lookups are written or deleted, rows that nothing covers deleted, state folded
anew, damaged blocks taken back and fetched again, derived heights derived again. Without --yes it only says so.

  --yes           do it
  --refetch       where derived rows do not fit their block, fetch the block again instead of trusting it
  --from N        only from this block
  --to N          only up to this block
  --rpc URL       blocks that are others on this node are taken back and fetched again too
  --whole         with --rpc: compare all fields of every block with it, whatever the hashes say
  --limit N       mend at most this many findings at once; 1000
  --chain NAME    only this chain; needed where there are several
  --json          as JSON; heights are strings
  --config FILE   another file than tidemark.config.ts

Blocks are fetched and heights derived by the processes that run. Exits 0 when nothing is left that only a person can mend.
`

const command = "repair"

export async function repairCommand(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = parseFlags(argv, { command, flags: { ...verifyFlags, yes: "boolean", refetch: "boolean" } })
  const request = verifyRequest(flags, command)
  return withChains(io, flags, async (chains, config) => {
    const [chain, ...others] = chains
    if (!chain || others.length > 0) {
      const names = chains.map(({ name }) => name).join(", ")
      throw usage(`there are several chains here (${names}): choose one with --chain`, command)
    }
    // State is always compared: heights can be reopened only where it is what its events say.
    const found = await verifyChain(io, { chain, config, request, withFolds: true })
    const plan = planRepair(found.findings, { refetch: flags.refetch === true })
    const mends = flags.yes === true && !io.signal.aborted && found.findings.length > plan.left.length
    // Cut short, the state may not have been looked at: what relies on it waits for another turn.
    const safe = found.cut ? { ...plan, refetch: [], rederive: [] } : plan
    if (mends) {
      await repairStore(
        { raw: chain.raw, app: chain.app, random: io.random },
        { plan: safe, actor: io.actor },
      )
    }
    if (flags.json) printJson(io, { ...findingsJson(found), repaired: mends })
    else io.stdout.write(`${renderFindings(found, lookOf(io))}${summary({ found, plan, mends })}`)
    const leftOver = mends ? plan.left.length : found.findings.length
    return leftOver === 0 && !found.cut ? 0 : 1
  })
}

function summary({
  found,
  plan,
  mends,
}: {
  found: { findings: readonly unknown[]; cut: boolean }
  plan: { left: readonly unknown[] }
  mends: boolean
}): string {
  const mendable = found.findings.length - plan.left.length
  const left = plan.left.length === 0 ? "" : `${plan.left.length} need a person.\n`
  if (mendable === 0) return left
  if (!mends) return `${mendable} can be mended: run it again with --yes.\n${left}`
  if (found.cut) {
    return `Mended lookups, rows and state of these. Blocks and heights wait until all is known: run it again, with a higher --limit.\n${left}`
  }
  return `Mended ${mendable}. \`tidemark verify\` says whether all is well once the processes have caught up.\n${left}`
}
