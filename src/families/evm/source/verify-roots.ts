// The strongest check, off by default: recomputes the header's hash, every transaction's hash and both roots. Fields
// that no hash covers (a transaction's "from", prices in receipts) stay unverified.

import { CannotEncode, type Fields } from "./consensus-fields.js"
import { encodeHeader } from "./encode-header.js"
import { encodeReceipt } from "./encode-receipt.js"
import { encodeTransaction } from "./encode-transaction.js"
import { sameHex } from "./hex-text.js"
import { keccakText } from "./keccak.js"
import type { PairedBlock } from "./pair-receipts.js"
import { orderedTrieRoot } from "./trie-root.js"
import type { CheckFailure } from "./verify-block.js"

export function verifyRoots({ block, receipts }: Pick<PairedBlock, "block" | "receipts">): CheckFailure | undefined {
  const compare = (what: string, computed: string, got: unknown): CheckFailure | undefined =>
    sameHex(computed, got) ? undefined : { check: "roots", what, expected: `${computed} (computed)`, got: String(got) }
  let what = "header"
  try {
    const wrongHash = compare("hash of the header", keccakText(encodeHeader(block as unknown as Fields)), block.hash)
    if (wrongHash !== undefined) return wrongHash
    const transactions: Buffer[] = []
    for (const [i, tx] of block.transactions.entries()) {
      what = `transaction ${i}`
      const encoded = encodeTransaction(tx as Fields)
      const wrong = compare(`hash of transaction ${i}`, keccakText(encoded), tx.hash)
      if (wrong !== undefined) return wrong
      transactions.push(encoded)
    }
    const wrongRoot = compare("transactionsRoot", orderedTrieRoot(transactions), block.transactionsRoot)
    if (wrongRoot !== undefined) return wrongRoot
    const encodedReceipts = receipts.map((receipt, i) => {
      what = `receipt ${i}`
      if (receipt === undefined) throw new CannotEncode("it is missing")
      return encodeReceipt(receipt as unknown as Fields, (block.transactions[i] ?? {}) as Fields)
    })
    return compare("receiptsRoot", orderedTrieRoot(encodedReceipts), block.receiptsRoot)
  } catch (error) {
    if (!(error instanceof CannotEncode)) throw error
    const got = `${error.message} (verify: "standard" accepts it)`
    return { check: "roots", what, expected: "something that can be encoded", got }
  }
}
