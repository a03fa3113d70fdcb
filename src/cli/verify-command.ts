// `tidemark verify`: proves that what is stored holds together, or says exactly where not. Changes nothing.

import { verifyChain } from "../operations/verify-chain.js"
import { type CliIo, lookOf, print } from "./cli-io.js"
import { withChains } from "./find-chains.js"
import { parseFlags } from "./parse-flags.js"
import { findingsJson, type NamedFindings, renderFindings } from "./render-findings.js"
import { verifyFlags, verifying, verifyRequest } from "./verify-request.js"

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
    const results: NamedFindings[] = []
    for (const chain of chains) {
      const found = await verifying(io, { chain, config, request }, (verifier, how) =>
        verifyChain(verifier, { ...how, withFolds: how.range === undefined }),
      )
      results.push({ ...found, chain: chain.name })
    }
    print(io, {
      json: flags.json,
      value: { chains: results.map(findingsJson) },
      text: results.map((result) => renderFindings(result, lookOf(io))).join(""),
    })
    return results.every(({ findings, cut }) => findings.length === 0 && !cut) ? 0 : 1
  })
}
