// What single chains do otherwise than Ethereum, by chain id: checks that their blocks cannot pass, and what of their
// hashes cannot be recomputed. docs/reference/chains.md gives the reason for each and a block that shows it.

import type { Fields } from "./consensus-fields.js"
import { encodeHeader, encodeTempoHeader } from "./encode-header.js"
import { type FindUnrooted, hyperliquidSystem, polygonStateSync } from "./unrooted-transactions.js"
import type { CheckSwitches } from "./verify-block.js"

/** A part of `VERIFY=roots`; "hashes" are those of the transactions, without which there is no root of them. */
export type RootPart = "header" | "hashes" | "transactions" | "receipts" | "withdrawals"

export interface ChainRules {
  readonly name: string
  /** Checks that its blocks fail although they are right. */
  readonly unchecked: readonly (keyof CheckSwitches)[]
  /** What cannot be recomputed: in every block, or in those below a height. */
  readonly unproven: Readonly<Partial<Record<RootPart, "always" | { readonly below: number }>>>
  /** Transaction types whose encoding is not known: neither their hash nor the root over them is recomputed. */
  readonly opaqueTypes: readonly number[]
  readonly unrooted: FindUnrooted | undefined
  readonly encodeHeader: (block: Fields) => Buffer
}

export const ethereumRules: ChainRules = {
  name: "Ethereum",
  unchecked: [],
  unproven: {},
  opaqueTypes: [],
  unrooted: undefined,
  encodeHeader,
}

const like = (name: string, rules: Partial<ChainRules>): ChainRules => ({ ...ethereumRules, name, ...rules })

const noRoots = { header: "always", transactions: "always", receipts: "always" } as const
const noHashes = { header: "always", hashes: "always", receipts: "always" } as const

const polygon = like("Polygon", { unrooted: polygonStateSync })
const hyperEvm = like("HyperEVM", { unrooted: hyperliquidSystem })
const cronos = like("Cronos", { unchecked: ["logOrder", "bloom"], unproven: noRoots })
const stable = like("Stable", { unchecked: ["logOrder"], unproven: { header: "always" }, opaqueTypes: [0x3f] })
const fantom = like("Fantom", { unproven: { header: "always" } })
const tempo = like("Tempo", { opaqueTypes: [0x76], encodeHeader: encodeTempoHeader })
const vechain = like("VeChain", { unchecked: ["gas"], unproven: noHashes })
const zksync = like("ZKsync Era", { unchecked: ["gas", "bloom"], unproven: noHashes })
/** The first block of Nitro; those below are of another node. */
const arbitrumOne = like("Arbitrum One", { unproven: { receipts: { below: 22_207_817 } } })

/** By the decimal chain id. */
export const chainRules: Readonly<Record<string, ChainRules>> = {
  "25": cronos,
  "137": polygon,
  "80001": polygon,
  "80002": polygon,
  "250": fantom,
  "280": zksync,
  "300": zksync,
  "324": zksync,
  "988": stable,
  "2201": stable,
  "998": hyperEvm,
  "999": hyperEvm,
  "4217": tempo,
  "42431": tempo,
  "42161": arbitrumOne,
  "100009": vechain,
  "100010": vechain,
}

export const rulesOf = (chainId: string): ChainRules => chainRules[chainId] ?? ethereumRules

export function isProven(rules: ChainRules, part: RootPart, height: number): boolean {
  const unproven = rules.unproven[part]
  return unproven === undefined || (unproven !== "always" && height >= unproven.below)
}

/** What is not checked on a chain, in words; empty where nothing is left out. */
export function listUnchecked({ unchecked, unproven, opaqueTypes, unrooted }: ChainRules): readonly string[] {
  const bound = (part: string, scope: "always" | { readonly below: number }): string =>
    scope === "always" ? part : `${part} below block ${scope.below}`
  return [
    ...unchecked.map((check) => `the check "${check}"`),
    ...Object.entries(unproven).map(([part, scope]) => `with VERIFY=roots ${bound(part, scope)}`),
    ...opaqueTypes.map((type) => `with VERIFY=roots transactions of type 0x${type.toString(16)}`),
    ...(unrooted === undefined ? [] : ["transactions that the chain keeps out of its roots"]),
  ]
}

/** The same as a sentence for the log; undefined where nothing is left out. */
export function describeRules(rules: ChainRules): string | undefined {
  const parts = listUnchecked(rules)
  return parts.length === 0 ? undefined : `not checked on ${rules.name}: ${parts.join(", ")}`
}

/** The checks of a chain's config without those that its rules exclude. */
export function checksUnder(rules: ChainRules, checks: CheckSwitches): CheckSwitches {
  return { ...checks, ...Object.fromEntries(rules.unchecked.map((name) => [name, false])) }
}
