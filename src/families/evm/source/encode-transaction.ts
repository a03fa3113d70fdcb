// Encodes the JSON of a transaction to the bytes that the chain hashes. An unknown type throws CannotEncode.

import {
  all,
  bytes,
  CannotEncode,
  type Fields,
  isAbsent,
  list,
  object,
  optional,
  quantity,
} from "./consensus-fields.js"
import { quantityValue } from "./hex-text.js"
import { encodeRlp, type RlpItem } from "./rlp.js"

const accessList = (tx: Fields): RlpItem =>
  list(tx, "accessList").map((entry) => {
    const fields = object(entry, "an entry of accessList")
    return [
      bytes(fields, "address"),
      list(fields, "storageKeys").map((key) => bytes({ storageKey: key }, "storageKey")),
    ]
  })

const authorizationList = (tx: Fields): RlpItem =>
  list(tx, "authorizationList").map((entry) => {
    const fields = object(entry, "an entry of authorizationList")
    const head = [quantity(fields, "chainId"), bytes(fields, "address"), quantity(fields, "nonce")]
    return [...head, ...signature(fields)]
  })

const signature = (fields: Fields): RlpItem[] =>
  all(quantity, fields, fields["yParity"] === undefined ? "v" : "yParity", "r", "s")

const target = (tx: Fields): RlpItem[] => [optional(bytes, tx, "to"), quantity(tx, "value"), bytes(tx, "input")]

const feeMarket = (tx: Fields): RlpItem[] => [
  ...all(quantity, tx, "chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas"),
  ...target(tx),
  accessList(tx),
]

export const typeOf = (fields: Fields): number => (isAbsent(fields, "type") ? 0 : quantityValue(fields["type"]))

function transactionItems(tx: Fields, type: number): readonly RlpItem[] {
  if (type === 0) {
    const head = all(quantity, tx, "nonce", "gasPrice", "gas")
    return [...head, ...target(tx), ...all(quantity, tx, "v", "r", "s")]
  }
  if (type === 1) {
    const head = all(quantity, tx, "chainId", "nonce", "gasPrice", "gas")
    return [...head, ...target(tx), accessList(tx), ...signature(tx)]
  }
  if (type === 2) return [...feeMarket(tx), ...signature(tx)]
  if (type === 3) {
    const hashes = list(tx, "blobVersionedHashes").map((hash) => bytes({ hash }, "hash"))
    return [...feeMarket(tx), quantity(tx, "maxFeePerBlobGas"), hashes, ...signature(tx)]
  }
  if (type === 4) return [...feeMarket(tx), authorizationList(tx), ...signature(tx)]
  if (type === 0x7e) {
    const system = Buffer.from(tx["isSystemTx"] === true ? [1] : [])
    const head = [bytes(tx, "sourceHash"), bytes(tx, "from"), optional(bytes, tx, "to")]
    const amounts = [optional(quantity, tx, "mint"), quantity(tx, "value"), quantity(tx, "gas")]
    return [...head, ...amounts, system, bytes(tx, "input")]
  }
  throw new CannotEncode(`transaction type ${String(tx["type"])} is not known`)
}

export function encodeTransaction(tx: Fields): Buffer {
  const type = typeOf(tx)
  return encodeTyped(type, transactionItems(tx, type))
}

export function encodeTyped(type: number, items: RlpItem): Buffer {
  const encoded = encodeRlp(items)
  return type === 0 ? encoded : Buffer.concat([Buffer.from([type]), encoded])
}
