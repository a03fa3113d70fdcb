// `tidemark verify`: proves that what is stored holds together, or says exactly where not. Changes nothing.

import { type CliIo, lookOf, printJson } from "./cli-io.js"
import { withChains } from "./find-chains.js"
import { parseFlags } from "./parse-flags.js"
import { findingsJson, renderFindings } from "./render-findings.js"
import { type ChainFindings, verifyChain, verifyFlags, verifyRequest } from "./verify-chain.js"

export const verifyHelp = `Usage: tidemark verify [options]

Checks what is stored against itself: parent links, counts, lookups, coverage, derived rows against the blocks they come
from, state against a fold of its events. Exits 0 when nothing is wrong, 1 with every row that is. Safe while others run.

  --from N        only from this block
  --to N          only up to this block
  --rpc URL       compare with this node too: by one header where blocks hang together, field by field where they differ
  --whole         with --rpc: fetch every block from it and compare all fields, whatever the hashes say
  --limit N       stop after this many findings; 1000
  --chain NAME    only this chain
  --json          as JSON; heights are strings
  --config FILE   another file than tidemark.config.ts

With --from or --to state tables are left out, since they are of all heights. \`tidemark repair\` mends what can be mended.
`

export async function verifyCommand(argv: readonly string[], io: CliIo): Promise<number> {
  const flags = parseFlags(argv, { command: "verify", flags: verifyFlags })
  const request = verifyRequest(flags, "verify")
  return withChains(io, flags, async (chains, config) => {
    const results: ChainFindings[] = []
    for (const chain of chains) {
      results.push(await verifyChain(io, { chain, config, request, withFolds: request.range === undefined }))
    }
    if (flags.json) printJson(io, { chains: results.map(findingsJson) })
    else for (const result of results) io.stdout.write(renderFindings(result, lookOf(io)))
    return results.every(({ findings, cut }) => findings.length === 0 && !cut) ? 0 : 1
  })
}
