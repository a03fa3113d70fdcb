// Encodes the JSON of a receipt to the bytes that the chain hashes.

import { all, bytes, CannotEncode, type Fields, isAbsent, list, object, quantity } from "./consensus-fields.js"
import { encodeTyped, typeOf } from "./encode-transaction.js"
import type { RlpItem } from "./rlp.js"

export function encodeReceipt(receipt: Fields, tx: Fields): Buffer {
  const type = receipt["type"] === undefined ? typeOf(tx) : typeOf(receipt)
  if (!(type <= 4 || type === 0x7e)) throw new CannotEncode(`receipt type ${String(receipt["type"])} is not known`)
  const outcome = isAbsent(receipt, "status") ? bytes(receipt, "root") : quantity(receipt, "status")
  const logs = list(receipt, "logs").map((entry): RlpItem => {
    const log = object(entry, "a log")
    return [bytes(log, "address"), list(log, "topics").map((topic) => bytes({ topic }, "topic")), bytes(log, "data")]
  })
  const items = [outcome, quantity(receipt, "cumulativeGasUsed"), bytes(receipt, "logsBloom"), logs]
  // Since its Canyon fork the OP stack hashes the two deposit fields as well.
  if (type === 0x7e && !isAbsent(receipt, "depositReceiptVersion")) {
    items.push(...all(quantity, receipt, "depositNonce", "depositReceiptVersion"))
  }
  return encodeTyped(type, items)
}
