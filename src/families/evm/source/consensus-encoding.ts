// Encodes the JSON of headers, transactions and receipts to the bytes that the chain hashes. An unknown type or a
// missing field throws CannotEncode, which names it.

import { isObject } from "./block-json.js"
import { quantityValue } from "./hex-text.js"
import { keccak256 } from "./keccak.js"
import { encodeRlp, type RlpItem } from "./rlp.js"

export class CannotEncode extends Error {}

type Fields = Readonly<Record<string, unknown>>

export const keccakText = (bytes: Uint8Array): string => `0x${keccak256(bytes).toString("hex")}`

function bytes(fields: Fields, key: string): Buffer {
  const value = fields[key]
  if (typeof value !== "string" || !/^0x([0-9a-fA-F]{2})*$/.test(value)) {
    throw new CannotEncode(`field ${key} is missing or no bytes`)
  }
  return Buffer.from(value.slice(2), "hex")
}

function quantity(fields: Fields, key: string): Buffer {
  const value = fields[key]
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]+$/.test(value)) {
    throw new CannotEncode(`field ${key} is missing or no quantity`)
  }
  const digits = value.slice(2).replace(/^0+/, "")
  return Buffer.from(digits.length % 2 === 1 ? `0${digits}` : digits, "hex")
}

type Encode = (fields: Fields, key: string) => Buffer

const all = (encode: Encode, fields: Fields, ...keys: readonly string[]): Buffer[] =>
  keys.map((key) => encode(fields, key))

const isAbsent = (fields: Fields, key: string): boolean => fields[key] === undefined || fields[key] === null

/** Null, as for the receiver of a creation, is the empty string. */
const optional = (encode: Encode, fields: Fields, key: string): Buffer =>
  isAbsent(fields, key) ? Buffer.alloc(0) : encode(fields, key)

function list(fields: Fields, key: string): readonly unknown[] {
  const value = fields[key]
  if (!Array.isArray(value)) throw new CannotEncode(`field ${key} is missing or no list`)
  return value
}

function object(value: unknown, what: string): Fields {
  if (!isObject(value)) throw new CannotEncode(`${what} is no object`)
  return value
}

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

const typeOf = (fields: Fields): number => (isAbsent(fields, "type") ? 0 : quantityValue(fields["type"]))

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

function encodeTyped(type: number, items: RlpItem): Buffer {
  const encoded = encodeRlp(items)
  return type === 0 ? encoded : Buffer.concat([Buffer.from([type]), encoded])
}

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
