// What a chain family answers in the format of Etherscan: a record for each module and action. src/api/etherscan parses the
// requests and writes the envelopes.

import type { RangeSet } from "../../domain/range-set.js"
import type { ServedChain } from "../served-chain.js"
import type { EtherscanParams } from "./etherscan-params.js"

export interface EtherscanAction {
  readonly module: string
  readonly action: string
  /** JSON-RPC methods of the node that it needs; none for what the store answers. */
  readonly methods?: readonly string[]
  answer(ask: EtherscanAsk): Promise<EtherscanAnswer>
}

export interface EtherscanAsk {
  readonly chain: ServedChain
  readonly params: EtherscanParams
  /** An answer without an upper end may be this many blocks behind the head. */
  readonly lagBlocks: number
  /** Throws an EtherscanError with the node's own refusal. */
  readonly node: (method: string, params: readonly unknown[]) => Promise<unknown>
}

/** How far an answer is complete. */
export interface Completeness {
  /** Up to here the required workers are complete from the start; null if the first block is missing. */
  readonly watermark: number | null
  /** Of the heights that were asked for. Not empty only where the client accepts partial answers. */
  readonly gaps: RangeSet
}

export type EtherscanAnswer = { readonly completeness?: Completeness | undefined } & (
  | { readonly kind: "list"; readonly rows: readonly unknown[]; readonly none: EmptyMessage }
  | { readonly kind: "value"; readonly value: unknown }
  /** JSON text. */
  | { readonly kind: "rpc"; readonly json: string }
)

/** Clients match these: anything else that is empty is an error to them. */
type EmptyMessage = "No transactions found" | "No records found" | "No data found"
