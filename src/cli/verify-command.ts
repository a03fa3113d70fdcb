// `tidemark verify`: checks that what is stored is consistent, and names every row that is not. Changes nothing.

import { verifyChain } from "../operations/verify-chain.js"
import { type CliIo, lookOf, print } from "./cli-io.js"
import { withChains } from "./find-chains.js"
import { parseFlags } from "./parse-flags.js"
import { findingsJson, type NamedFindings, renderFindings } from "./render-findings.js"
import { verifyFlags, verifying, verifyRequest } from "./verify-request.js"

export const verifyHelp = `Usage: tidemark verify [options]

Checks what is stored against itself: parent links, counts, lookups, coverage, derived rows against their blocks, state
against a fold of its events. Exits 0 when nothing is wrong, 1 with every row that is. Safe while processes run.

  --from N        only from this block
  --to N          only up to this block
  --rpc URL       compare with this node too: one header for linked blocks, all fields where they differ
  --whole         with --rpc: fetch every block from it and compare all fields, whatever the hashes say
  --limit N       stop after this many findings; 1000
  --checks LIST   only these, such as folds,raw-rows
  --chain NAME    only this chain
  --json          as JSON; heights are strings
  --config FILE   another file than tidemark.config.ts

With --from or --to state tables are left out, since they span all heights. \`tidemark repair\` repairs what it can.
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
