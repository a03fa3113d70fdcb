// Encodes the JSON of a receipt to the bytes that the chain hashes.

import { all, bytes, CannotEncode, type Fields, isAbsent, list, object, quantity } from "./consensus-fields.js"
import { encodeTyped, typeOf } from "./encode-transaction.js"
import { toHexBytes } from "./hex-text.js"
import type { RlpItem } from "./rlp.js"

/** Types are below it: a larger first byte would be a list. */
const typesEnd = 0x80

export function encodeReceipt(receipt: Fields, tx: Fields): Buffer {
  const type = receipt["type"] === undefined ? typeOf(tx) : typeOf(receipt)
  if (!(type < typesEnd)) throw new CannotEncode(`receipt type ${String(receipt["type"])} is not known`)
  const logs = list(receipt, "logs").map((entry): RlpItem => {
    const log = object(entry, "a log")
    return [bytes(log, "address"), list(log, "topics").map((topic) => bytes({ topic }, "topic")), bytes(log, "data")]
  })
  const items = [outcome(receipt), quantity(receipt, "cumulativeGasUsed"), bytes(receipt, "logsBloom"), logs]
  // Since its Canyon fork the OP stack hashes the two deposit fields as well.
  if (type === 0x7e && !isAbsent(receipt, "depositReceiptVersion")) {
    items.push(...all(quantity, receipt, "depositNonce", "depositReceiptVersion"))
  }
  return encodeTyped(type, items)
}

/** Before Byzantium the state root. Some nodes send a status beside it, which is in no hash. */
function outcome(receipt: Fields): Buffer {
  const isRoot = isAbsent(receipt, "status") || hasStateRoot(receipt)
  return isRoot ? bytes(receipt, "root") : quantity(receipt, "status")
}

/** Nodes that name the field for every receipt leave it empty since Byzantium. */
export const hasStateRoot = (receipt: { readonly root?: unknown }): boolean => toHexBytes(receipt.root, 32) !== null
