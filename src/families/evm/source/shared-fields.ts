// Fields that a node repeats in every transaction, receipt or log of a block are stored once, with the block. The last
// row decides their values; a row that differs keeps its own.

import type { ReceiptJson, TransactionJson } from "./block-json.js"
import { isInexact } from "./exact-json.js"
import type { Json } from "./rebuild-json.js"

export interface SharedFields {
  readonly tx: Json | undefined
  readonly receipt: Json | undefined
  readonly log: { readonly blockTimestamp: unknown } | undefined
}

/** Fields without a column that nodes repeat in every row of a block. */
const repeatedInTransactions = ["blockTimestamp"]
const repeatedInReceipts = [
  "blockTimestamp",
  "blobGasPrice",
  "l1GasPrice",
  "l1FeeScalar",
  "l1BaseFeeScalar",
  "l1BlobBaseFee",
  "l1BlobBaseFeeScalar",
]

/** From the last row: on some chains the first row of a block is a special one. */
export function sharedFields(
  transactions: readonly TransactionJson[],
  receipts: readonly (ReceiptJson | undefined)[],
): SharedFields {
  let log: SharedFields["log"]
  for (let i = receipts.length - 1; i >= 0 && log === undefined; i--) {
    const last = receipts[i]?.logs.at(-1)
    if (last === undefined) continue
    if (!isShareable(last.blockTimestamp)) break
    log = { blockTimestamp: last.blockTimestamp }
  }
  return {
    tx: repeated(transactions.at(-1) as Json | undefined, repeatedInTransactions),
    receipt: repeated(receipts.findLast((receipt) => receipt !== undefined) as Json | undefined, repeatedInReceipts),
    log,
  }
}

function repeated(row: Json | undefined, keys: readonly string[]): Json | undefined {
  let out: Json | undefined
  if (row === undefined) return undefined
  for (const key of keys) {
    if (!isShareable(row[key])) continue
    out ??= {}
    out[key] = row[key]
  }
  return out
}

const isShareable = (value: unknown): boolean =>
  (typeof value === "string" && value.length < 80) || (typeof value === "number" && !isInexact(value))

export function countKeys(row: object): number {
  let keys = 0
  for (const _ in row) keys++
  return keys
}

/** How many of the shared fields the row has; NaN, which equals no count, when one differs. */
export function countShared(row: Json, shared: Json | undefined): number {
  if (shared === undefined) return 0
  let count = 0
  for (const key in shared) {
    if (row[key] !== shared[key]) return Number.NaN
    count++
  }
  return count
}
