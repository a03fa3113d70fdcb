// Encodes the JSON of a header to the bytes that the chain hashes. Chains that hash other fields than Ethereum are
// recognised by those fields: the hash decides whether they belong there.

import { all, bytes, CannotEncode, type Fields, isAbsent, object, quantity } from "./consensus-fields.js"
import { encodeRlp, type RlpItem } from "./rlp.js"

/** Fields that forks appended, in their order. */
const addedFields = [
  ["baseFeePerGas", quantity],
  ["withdrawalsRoot", bytes],
  ["blobGasUsed", quantity],
  ["excessBlobGas", quantity],
  ["parentBeaconBlockRoot", bytes],
  ["requestsHash", bytes],
] as const

const addedByAvalanche = [
  ["extDataHash", bytes],
  ["baseFeePerGas", quantity],
  ["extDataGasUsed", quantity],
  ["blockGasCost", quantity],
  ["blobGasUsed", quantity],
  ["excessBlobGas", quantity],
  ["parentBeaconBlockRoot", bytes],
] as const

export const encodeHeader = (block: Fields): Buffer => encodeRlp(headerItems(block))

/** Tempo's header holds Ethereum's as one field of its own. A local node has the same JSON and Ethereum's hash. */
export function encodeTempoHeader(block: Fields): Buffer {
  const head = all(quantity, block, "mainBlockGeneralGasLimit", "sharedGasLimit", "timestampMillisPart")
  const items = headerItems(block)
  if (isAbsent(block, "consensusContext")) return encodeRlp([...head, items])
  const context = object(block["consensusContext"], "consensusContext")
  const end = [...all(quantity, context, "epoch", "view", "parentView"), bytes(context, "proposer")]
  return encodeRlp([...head, items, end])
}

function headerItems(block: Fields): readonly RlpItem[] {
  const head = [
    ...all(bytes, block, "parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot"),
    ...all(bytes, block, "receiptsRoot", "logsBloom"),
    ...all(quantity, block, "difficulty", "number", "gasLimit", "gasUsed"),
  ]
  const seal = auraSeal(block)
  if (seal === undefined && isAbsent(block, "mixHash")) return [...head, ...frontierEnd(block)]
  const rest = [quantity(block, "timestamp"), bytes(block, "extraData")]
  const added = isAbsent(block, "extDataHash") ? addedFields : addedByAvalanche
  return [...head, ...rest, ...(seal ?? all(bytes, block, "mixHash", "nonce")), ...present(block, added)]
}

/** The first block of some chains lacks fields before others that it has. */
const present = (block: Fields, keys: typeof addedFields | typeof addedByAvalanche): Buffer[] =>
  keys.filter(([key]) => !isAbsent(block, key)).map(([key, encode]) => encode(block, key))

/** Proof of authority in place of mixHash and nonce: Erigon's spelling, or Parity's and Nethermind's. */
function auraSeal(block: Fields): Buffer[] | undefined {
  if (!isAbsent(block, "auraSeal")) return [quantity(block, "auraStep"), bytes(block, "auraSeal")]
  const { step, signature } = block
  if (isAbsent(block, "step") || typeof signature !== "string") return undefined
  if (!/^\d{1,19}$/.test(String(step))) throw new CannotEncode("field step is no number")
  const seal = signature.startsWith("0x") ? signature : `0x${signature}`
  return [quantity({ step: `0x${BigInt(String(step)).toString(16)}` }, "step"), bytes({ seal }, "seal")]
}

/**
 * Frontier, Ethereum on Substrate, hashes milliseconds, of which nodes give the seconds, and no field of a later fork.
 * Its blocks are at whole seconds.
 */
function frontierEnd(block: Fields): Buffer[] {
  const milliseconds = `0x${(1000n * BigInt(`0x0${quantity(block, "timestamp").toString("hex")}`)).toString(16)}`
  const end = [quantity({ milliseconds }, "milliseconds"), bytes(block, "extraData"), Buffer.alloc(32)]
  return [...end, bytes(block, "nonce")]
}
