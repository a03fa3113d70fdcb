// The strongest check, off by default: recomputes the header's hash, every transaction's hash and the roots of
// transactions, receipts and withdrawals. Fields that no hash covers (a transaction's "from", prices in receipts) stay
// unverified.

import type { BlockJson } from "./block-json.js"
import { type ChainRules, ethereumRules, isProven, type RootPart } from "./chain-rules.js"
import { CannotEncode, type Fields } from "./consensus-fields.js"
import { encodeReceipt } from "./encode-receipt.js"
import { encodeTransaction, typeOf } from "./encode-transaction.js"
import { encodeWithdrawals } from "./encode-withdrawals.js"
import { sameHex } from "./hex-text.js"
import { keccakText } from "./keccak.js"
import type { PairedBlock } from "./pair-receipts.js"
import { orderedTrieRoot } from "./trie-root.js"
import type { CheckFailure } from "./verify-block.js"

type RootedBlock = Pick<PairedBlock, "block" | "receipts" | "unrooted" | "height">

export function verifyRoots(block: RootedBlock, rules: ChainRules = ethereumRules): CheckFailure | undefined {
  const isOn = (part: RootPart): boolean => isProven(rules, part, block.height)
  return (
    (isOn("header") ? proveHeader(block.block, rules) : undefined) ??
    (isOn("hashes") ? proveTransactions(block, { rules, withRoot: isOn("transactions") }) : undefined) ??
    (isOn("receipts") ? proveReceipts(block) : undefined) ??
    (isOn("withdrawals") ? proveWithdrawals(block.block) : undefined)
  )
}

function prove(what: string, got: unknown, compute: () => string): CheckFailure | undefined {
  let computed: string
  try {
    computed = compute()
  } catch (error) {
    if (!(error instanceof CannotEncode)) throw error
    const reason = `${error.message} (verify: "standard" accepts it)`
    return { check: "roots", what, expected: "something that can be encoded", got: reason }
  }
  if (sameHex(computed, got)) return undefined
  return { check: "roots", what, expected: `${computed} (computed)`, got: String(got) }
}

const proveHeader = (block: BlockJson, { encodeHeader }: ChainRules) =>
  prove("hash of the header", block.hash, () => keccakText(encodeHeader(block as unknown as Fields)))

/** Their hashes and, from the same bytes, their root. */
function proveTransactions(
  { block, unrooted }: RootedBlock,
  { rules, withRoot }: { readonly rules: ChainRules; readonly withRoot: boolean },
): CheckFailure | undefined {
  const encoded: Buffer[] = []
  let isWhole = withRoot
  for (const [i, tx] of block.transactions.entries()) {
    if (unrooted?.has(i)) continue
    if (rules.opaqueTypes.includes(typeOf(tx as Fields))) {
      isWhole = false
      continue
    }
    const wrong = prove(`hash of transaction ${i}`, tx.hash, () => {
      const bytes = encodeTransaction(tx as Fields)
      encoded.push(bytes)
      return keccakText(bytes)
    })
    if (wrong !== undefined) return { ...wrong, transaction: i }
  }
  return isWhole ? prove("transactionsRoot", block.transactionsRoot, () => orderedTrieRoot(encoded)) : undefined
}

function proveReceipts({ block, receipts, unrooted }: RootedBlock): CheckFailure | undefined {
  return prove("receiptsRoot", block.receiptsRoot, () => {
    const encoded: Buffer[] = []
    for (const [i, receipt] of receipts.entries()) {
      if (unrooted?.has(i)) continue
      if (receipt === undefined) throw new CannotEncode(`receipt ${i} is missing`)
      encoded.push(encodeReceipt(receipt as unknown as Fields, (block.transactions[i] ?? {}) as Fields))
    }
    return orderedTrieRoot(encoded)
  })
}

function proveWithdrawals(block: BlockJson): CheckFailure | undefined {
  const { withdrawals, withdrawalsRoot } = block
  if (withdrawalsRoot === undefined || withdrawalsRoot === null) return undefined
  // Since its Isthmus fork the OP stack has another root there, beside an empty list. The deposit that begins each of
  // its blocks is proven by the transactions root.
  const isEmpty = withdrawals === undefined || (Array.isArray(withdrawals) && withdrawals.length === 0)
  if (isEmpty && (block.transactions[0] as Fields | undefined)?.["sourceHash"] !== undefined) return undefined
  return prove("withdrawalsRoot", withdrawalsRoot, () =>
    orderedTrieRoot(encodeWithdrawals(block as unknown as Fields)),
  )
}
