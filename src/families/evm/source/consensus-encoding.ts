// Headers, transactions and receipts in the bytes that the chain hashes, made from their JSON. What cannot be encoded
// (an unknown type, a missing field) throws CannotEncode, which names it.

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

/** Null, as for the receiver of a creation, is the empty string. */
const optionalBytes = (fields: Fields, key: string): Buffer =>
  fields[key] === null || fields[key] === undefined ? Buffer.alloc(0) : bytes(fields, key)

const optionalQuantity = (fields: Fields, key: string): Buffer =>
  fields[key] === null || fields[key] === undefined ? Buffer.alloc(0) : quantity(fields, key)

function list(fields: Fields, key: string): readonly unknown[] {
  const value = fields[key]
  if (!Array.isArray(value)) throw new CannotEncode(`field ${key} is missing or no list`)
  return value
}

function object(value: unknown, what: string): Fields {
  if (!isObject(value)) throw new CannotEncode(`${what} is no object`)
  return value
}

/** Fields that forks added at the end, in their order: each stands only where all before it do. */
const addedHeaderFields = [
  ["baseFeePerGas", quantity],
  ["withdrawalsRoot", bytes],
  ["blobGasUsed", quantity],
  ["excessBlobGas", quantity],
  ["parentBeaconBlockRoot", bytes],
  ["requestsHash", bytes],
] as const

export function encodeHeader(block: Fields): Buffer {
  const items: RlpItem[] = []
  for (const key of ["parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot"]) {
    items.push(bytes(block, key))
  }
  items.push(bytes(block, "logsBloom"))
  for (const key of ["difficulty", "number", "gasLimit", "gasUsed", "timestamp"])
    items.push(quantity(block, key))
  for (const key of ["extraData", "mixHash", "nonce"]) items.push(bytes(block, key))
  let missing: string | undefined
  for (const [key, encode] of addedHeaderFields) {
    if (block[key] === undefined || block[key] === null) missing ??= key
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
    return [
      quantity(fields, "chainId"),
      bytes(fields, "address"),
      quantity(fields, "nonce"),
      parity(fields),
      quantity(fields, "r"),
      quantity(fields, "s"),
    ]
  })

const parity = (fields: Fields): Buffer => quantity(fields, fields["yParity"] === undefined ? "v" : "yParity")

const signature = (tx: Fields): RlpItem[] => [parity(tx), quantity(tx, "r"), quantity(tx, "s")]

const target = (tx: Fields): RlpItem[] => [optionalBytes(tx, "to"), quantity(tx, "value"), bytes(tx, "input")]

const feeMarket = (tx: Fields): RlpItem[] => [
  quantity(tx, "chainId"),
  quantity(tx, "nonce"),
  quantity(tx, "maxPriorityFeePerGas"),
  quantity(tx, "maxFeePerGas"),
  quantity(tx, "gas"),
  ...target(tx),
  accessList(tx),
]

const typeOf = (fields: Fields): number =>
  fields["type"] === undefined || fields["type"] === null ? 0 : quantityValue(fields["type"])

function transactionItems(tx: Fields, type: number): readonly RlpItem[] {
  if (type === 0) {
    const head = [quantity(tx, "nonce"), quantity(tx, "gasPrice"), quantity(tx, "gas")]
    return [...head, ...target(tx), quantity(tx, "v"), quantity(tx, "r"), quantity(tx, "s")]
  }
  if (type === 1) {
    const head = [
      quantity(tx, "chainId"),
      quantity(tx, "nonce"),
      quantity(tx, "gasPrice"),
      quantity(tx, "gas"),
    ]
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
    const head = [bytes(tx, "sourceHash"), bytes(tx, "from"), optionalBytes(tx, "to")]
    const amounts = [optionalQuantity(tx, "mint"), quantity(tx, "value"), quantity(tx, "gas")]
    return [...head, ...amounts, system, bytes(tx, "input")]
  }
  throw new CannotEncode(`transaction type ${String(tx["type"])} is not known`)
}

export function encodeTransaction(tx: Fields): Buffer {
  const type = typeOf(tx)
  const encoded = encodeRlp(transactionItems(tx, type))
  return type === 0 ? encoded : Buffer.concat([Buffer.from([type]), encoded])
}

export function encodeReceipt(receipt: Fields, tx: Fields): Buffer {
  const type = receipt["type"] === undefined ? typeOf(tx) : typeOf(receipt)
  if (!(type <= 4 || type === 0x7e))
    throw new CannotEncode(`receipt type ${String(receipt["type"])} is not known`)
  const hasStatus = receipt["status"] !== undefined && receipt["status"] !== null
  const outcome = hasStatus ? quantity(receipt, "status") : bytes(receipt, "root")
  const logs = list(receipt, "logs").map((entry): RlpItem => {
    const log = object(entry, "a log")
    return [
      bytes(log, "address"),
      list(log, "topics").map((topic) => bytes({ topic }, "topic")),
      bytes(log, "data"),
    ]
  })
  const items = [outcome, quantity(receipt, "cumulativeGasUsed"), bytes(receipt, "logsBloom"), logs]
  // Since its Canyon fork the OP stack hashes the two deposit fields too; before, it left them out.
  if (
    type === 0x7e &&
    receipt["depositReceiptVersion"] !== undefined &&
    receipt["depositReceiptVersion"] !== null
  ) {
    items.push(quantity(receipt, "depositNonce"), quantity(receipt, "depositReceiptVersion"))
  }
  const encoded = encodeRlp(items)
  return type === 0 ? encoded : Buffer.concat([Buffer.from([type]), encoded])
}
