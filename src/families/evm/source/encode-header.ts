// Encodes the JSON of a header to the bytes that the chain hashes.

import { all, bytes, CannotEncode, type Fields, isAbsent, quantity } from "./consensus-fields.js"
import { encodeRlp, type RlpItem } from "./rlp.js"

/** Fields that forks appended, in their order: each is present only where all before it are. */
const addedHeaderFields = [
  ["baseFeePerGas", quantity],
  ["withdrawalsRoot", bytes],
  ["blobGasUsed", quantity],
  ["excessBlobGas", quantity],
  ["parentBeaconBlockRoot", bytes],
  ["requestsHash", bytes],
] as const

export function encodeHeader(block: Fields): Buffer {
  const items: RlpItem[] = [
    ...all(bytes, block, "parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot"),
    ...all(bytes, block, "receiptsRoot", "logsBloom"),
    ...all(quantity, block, "difficulty", "number", "gasLimit", "gasUsed", "timestamp"),
    ...all(bytes, block, "extraData", "mixHash", "nonce"),
  ]
  let missing: string | undefined
  for (const [key, encode] of addedHeaderFields) {
    if (isAbsent(block, key)) missing ??= key
    else if (missing !== undefined) throw new CannotEncode(`header has ${key} but no ${missing}`)
    else items.push(encode(block, key))
  }
  return encodeRlp(items)
}
