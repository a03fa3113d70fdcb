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

/** Some nodes leave out an empty one. */
const accessList = (tx: Fields): RlpItem =>
  (isAbsent(tx, "accessList") ? [] : list(tx, "accessList")).map((entry) => {
    const fields = object(entry, "an entry of accessList")
    return [
      bytes(fields, "address"),
      list(fields, "storageKeys").map((key) => bytes({ storageKey: key }, "storageKey")),
    ]
  })

const authorizationList = (tx: Fields): RlpItem =>
  list(tx, "authorizationList").map((entry) => {
    const fields = authorization(object(entry, "an entry of authorizationList"))
    const head = [quantity(fields, "chainId"), bytes(fields, "address"), quantity(fields, "nonce")]
    return [...head, ...signature(fields)]
  })

/** In Ethereum's spelling, from Ethereum's or Frontier's. */
function authorization(fields: Fields): Fields {
  if (isAbsent(fields, "chain_id")) return fields
  const { odd_y_parity: isOdd, ...signed } = object(fields["signature"], "the signature of an authorization")
  return { ...fields, ...signed, chainId: fields["chain_id"], yParity: isOdd === true ? "0x1" : "0x0" }
}

const signature = (fields: Fields): RlpItem[] =>
  all(quantity, fields, isAbsent(fields, "yParity") ? "v" : "yParity", "r", "s")

const target = (tx: Fields): RlpItem[] => [optional(bytes, tx, "to"), quantity(tx, "value"), bytes(tx, "input")]

const feeMarketHead = (tx: Fields): RlpItem[] =>
  all(quantity, tx, "chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas")

const feeMarket = (tx: Fields): RlpItem[] => [...feeMarketHead(tx), ...target(tx), accessList(tx)]

const legacy = (tx: Fields): RlpItem[] => [
  ...all(quantity, tx, "nonce", "gasPrice", "gas"),
  ...target(tx),
  ...all(quantity, tx, "v", "r", "s"),
]

function deposit(tx: Fields): RlpItem[] {
  if (!isAbsent(tx, "queueIndex")) return scrollMessage(tx)
  const system = Buffer.from(tx["isSystemTx"] === true ? [1] : [])
  const head = [bytes(tx, "sourceHash"), bytes(tx, "from"), optional(bytes, tx, "to")]
  const amounts = [optional(quantity, tx, "mint"), quantity(tx, "value"), quantity(tx, "gas")]
  return [...head, ...amounts, system, bytes(tx, "input")]
}

/** Scroll gives the type of the OP stack's deposits to its messages from layer 1. */
const scrollMessage = (tx: Fields): RlpItem[] => [
  ...all(quantity, tx, "queueIndex", "gas"),
  ...target(tx),
  bytes(tx, "sender"),
]

const arbitrumCall = (tx: Fields): RlpItem[] => [...all(quantity, tx, "maxFeePerGas", "gas"), ...target(tx)]

const arbitrumSubmitRetryable = (tx: Fields): RlpItem[] => [
  ...[quantity(tx, "chainId"), bytes(tx, "requestId"), bytes(tx, "from")],
  ...all(quantity, tx, "l1BaseFee", "depositValue", "maxFeePerGas", "gas"),
  ...[optional(bytes, tx, "retryTo"), quantity(tx, "retryValue"), bytes(tx, "beneficiary")],
  ...[quantity(tx, "maxSubmissionFee"), bytes(tx, "refundTo"), bytes(tx, "retryData")],
]

const celoGatewayFee = (tx: Fields): RlpItem[] => [
  ...[optional(bytes, tx, "feeCurrency"), optional(bytes, tx, "gatewayFeeRecipient")],
  optional(quantity, tx, "gatewayFee"),
]

/** Arbitrum's transactions from before Nitro: typed in JSON only. */
const arbitrumClassic = 0x78

const itemsByType: Readonly<Record<number, (tx: Fields) => readonly RlpItem[]>> = {
  0: legacy,
  1: (tx) => [
    ...all(quantity, tx, "chainId", "nonce", "gasPrice", "gas"),
    ...[...target(tx), accessList(tx), ...signature(tx)],
  ],
  2: (tx) => [...feeMarket(tx), ...signature(tx)],
  3: (tx) => {
    const hashes = list(tx, "blobVersionedHashes").map((hash) => bytes({ hash }, "hash"))
    return [...feeMarket(tx), quantity(tx, "maxFeePerBlobGas"), hashes, ...signature(tx)]
  },
  4: (tx) => [...feeMarket(tx), authorizationList(tx), ...signature(tx)],
  100: (tx) => [quantity(tx, "chainId"), ...all(bytes, tx, "requestId", "from", "to"), quantity(tx, "value")],
  101: (tx) => [quantity(tx, "chainId"), bytes(tx, "from"), quantity(tx, "nonce"), ...arbitrumCall(tx)],
  102: (tx) => [quantity(tx, "chainId"), ...all(bytes, tx, "requestId", "from"), ...arbitrumCall(tx)],
  104: (tx) => [
    ...[...all(quantity, tx, "chainId", "nonce"), bytes(tx, "from"), ...arbitrumCall(tx)],
    ...[...all(bytes, tx, "ticketId", "refundTo"), ...all(quantity, tx, "maxRefund", "submissionFeeRefund")],
  ],
  105: arbitrumSubmitRetryable,
  106: (tx) => [quantity(tx, "chainId"), bytes(tx, "input")],
  [arbitrumClassic]: legacy,
  123: (tx) => [...feeMarket(tx), optional(bytes, tx, "feeCurrency"), ...signature(tx)],
  124: (tx) => [...[...feeMarketHead(tx), ...celoGatewayFee(tx), ...target(tx), accessList(tx)], ...signature(tx)],
  126: deposit,
}

export const typeOf = (fields: Fields): number => (isAbsent(fields, "type") ? 0 : quantityValue(fields["type"]))

export function encodeTransaction(tx: Fields): Buffer {
  const type = typeOf(tx)
  const items = itemsByType[type]
  if (items === undefined) throw new CannotEncode(`transaction type ${String(tx["type"])} is not known`)
  return encodeTyped(type === arbitrumClassic ? 0 : type, items(tx))
}

export function encodeTyped(type: number, items: RlpItem): Buffer {
  const encoded = encodeRlp(items)
  return type === 0 ? encoded : Buffer.concat([Buffer.from([type]), encoded])
}
