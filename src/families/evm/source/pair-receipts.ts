// Pairs receipts with transactions by transaction hash, never by position alone: a node that leaves one out would
// otherwise have every later one stored with the wrong transaction.

import type { FetchedBlock, ReceiptJson } from "./block-json.js"
import { sameHex } from "./hex-text.js"

type Parts = Pick<FetchedBlock, "block" | "receipts">
type PairedReceipts = readonly (ReceiptJson | undefined)[]

export interface PairedBlock extends Omit<FetchedBlock, "receipts" | "exact"> {
  /** One for each transaction, in their order; undefined where the node sent none. */
  readonly receipts: PairedReceipts
  /** Receipts of no transaction of the block, and second ones. There is no row to store them in. */
  readonly strays: readonly ReceiptJson[]
  /** Positions of transactions that are in no root, bloom or sum; undefined when there are none. */
  readonly unrooted?: ReadonlySet<number> | undefined
  readonly exact: () => { readonly block: FetchedBlock["block"]; readonly receipts: PairedReceipts }
}

const none: readonly ReceiptJson[] = []

export function pairReceipts(fetched: FetchedBlock): PairedBlock {
  if (areInPlace(fetched)) return { ...fetched, strays: none }
  const exact = () => {
    const parts = fetched.exact()
    return { block: parts.block, receipts: pair(parts).receipts }
  }
  return { ...fetched, ...pair(fetched), exact }
}

/** As nearly every node sends them: this is all that an ordinary block costs. */
function areInPlace({ block: { transactions }, receipts }: Parts): boolean {
  if (receipts.length !== transactions.length) return false
  for (let i = 0; i < receipts.length; i++) {
    if (!sameHex(receipts[i]!.transactionHash, transactions[i]?.hash)) return false
  }
  return true
}

function pair({ block: { transactions }, receipts }: Parts): Pick<PairedBlock, "receipts" | "strays"> {
  const positions = new Map<unknown, number>()
  for (const [i, transaction] of transactions.entries()) positions.set(keyOf(transaction?.hash), i)
  const paired: (ReceiptJson | undefined)[] = new Array(transactions.length).fill(undefined)
  const strays: ReceiptJson[] = []
  for (const receipt of receipts) {
    const at = positions.get(keyOf(receipt.transactionHash))
    if (at === undefined || paired[at] !== undefined) strays.push(receipt)
    else paired[at] = receipt
  }
  return { receipts: paired, strays }
}

const keyOf = (hash: unknown): unknown => (typeof hash === "string" ? hash.toLowerCase() : hash)
