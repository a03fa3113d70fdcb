// Decodes a verified block's JSON to raw rows without loss: what the columns reproduce exactly goes there, every
// difference to `extra`. The common shapes are recognised field by field without allocation; all others take the
// general path.

import type { EvmBlock, EvmEvent, EvmTransaction } from "../raw/evm-block.js"
import type { BlockJson, LogJson, ReceiptJson, TransactionJson } from "./block-json.js"
import type { BloomReport } from "./bloom.js"
import { difference, InexactNumber } from "./difference.js"
import { hasStateRoot } from "./encode-receipt.js"
import { stringifyExact } from "./exact-json.js"
import { isFixedHex, isHexBytes, isQuantity, quantityText, quantityValue, toHexBytes, toQuantity } from "./hex-text.js"
import type { PairedBlock } from "./pair-receipts.js"
import {
  headerDefaults,
  type Json,
  logDefaults,
  namesChain,
  receiptDefaults,
  sharedKeys,
  transactionDefaults,
} from "./rebuild-json.js"
import { countKeys, countShared, type SharedFields, sharedFields } from "./shared-fields.js"

export interface DecodeOptions {
  /** The chain's id as a quantity; transactions that name it need no `extra` for it. */
  readonly chainId: string | null
}

/** Shared by all rows of a block. */
interface Context {
  readonly block: BlockJson
  readonly columns: Omit<EvmBlock, "transactions" | "events">
  readonly numberText: string
  readonly chainId: string | null
  readonly shared: SharedFields
  readonly blooms: BloomReport
  readonly isExact: boolean
}

export function decodeBlock(fetched: PairedBlock, blooms: BloomReport, options: DecodeOptions): EvmBlock {
  try {
    return decode(fetched, fetched, blooms, options, false)
  } catch (error) {
    if (!(error instanceof InexactNumber)) throw error
    return decode(fetched, fetched.exact(), blooms, options, true)
  }
}

function decode(
  fetched: PairedBlock,
  { block, receipts }: Pick<PairedBlock, "block" | "receipts">,
  blooms: BloomReport,
  { chainId }: DecodeOptions,
  isExact: boolean,
): EvmBlock {
  const { height } = fetched
  const seconds = quantityValue(block.timestamp)
  let eventCount = 0
  for (let i = 0; i < receipts.length; i++) eventCount += receipts[i]?.logs.length ?? 0
  const shared = sharedFields(block.transactions, receipts)
  const columns = {
    height,
    hash: toHexBytes(block.hash, 32)!,
    parentHash: toHexBytes(block.parentHash, 32)!,
    timestampUs: BigInt(seconds) * 1_000_000n,
    transactionCount: block.transactions.length,
    eventCount,
    miner: toHexBytes(block.miner, 20),
    gasLimit: toQuantity(block.gasLimit),
    gasUsed: toQuantity(block.gasUsed),
    baseFeePerGas: toQuantity(block.baseFeePerGas),
    stateRoot: toHexBytes(block.stateRoot, 32),
    transactionsRoot: toHexBytes(block.transactionsRoot, 32),
    receiptsRoot: toHexBytes(block.receiptsRoot, 32),
    extra: null as string | null,
    sourceBytes: fetched.bytes,
  }
  const defaults = headerDefaults(columns)
  defaults["logsBloom"] = blooms.header
  let extra = difference(block as unknown as Json, defaults, "transactions", isExact)
  if (shared.tx !== undefined) extra = { ...extra, [sharedKeys.tx]: shared.tx }
  if (shared.receipt !== undefined) extra = { ...extra, [sharedKeys.receipt]: shared.receipt }
  if (shared.log !== undefined) extra = { ...extra, [sharedKeys.log]: shared.log }
  columns.extra = textOf(extra, isExact)
  const context: Context = {
    block,
    columns,
    numberText: quantityText(height),
    chainId,
    shared,
    blooms,
    isExact,
  }
  const transactions: EvmTransaction[] = new Array(block.transactions.length)
  const events: EvmEvent[] = new Array(eventCount)
  let at = 0
  for (let i = 0; i < transactions.length; i++) {
    const transaction = block.transactions[i]!
    const receipt = receipts[i]
    const row =
      (receipt !== undefined ? plainTransaction(transaction, receipt, i, context) : undefined) ??
      generalTransaction(transaction, receipt, i, context)
    transactions[i] = row
    if (receipt === undefined) continue
    const { logs } = receipt
    for (let k = 0; k < logs.length; k++) events[at++] = decodeLog(logs[k]!, row, context)
  }
  return Object.assign(columns, { transactions, events })
}

const textOf = (extra: Json | undefined, isExact: boolean): string | null =>
  extra === undefined ? null : isExact ? stringifyExact(extra) : JSON.stringify(extra)

/** Number of fields in the plain shape; any other number takes the general path. */
const legacyFields = 15
const feeMarketFields = 20
const receiptFields = 14

/**
 * The row of a legacy or fee market transaction whose JSON the columns reproduce exactly; undefined otherwise. No
 * field is read twice, and the number of keys shows that there is no other.
 */
function plainTransaction(
  tx: TransactionJson,
  receipt: ReceiptJson,
  index: number,
  context: Context,
): EvmTransaction | undefined {
  const { block, numberText, chainId, blooms } = context
  const { hash, from, to, nonce, value, gas, gasPrice, input, v, r, s, type } = tx
  let fields: number
  let typeNumber: number
  let maxFeePerGas: string | null = null
  let maxPriorityFeePerGas: string | null = null
  if (type === "0x2") {
    const { accessList } = tx
    if (!Array.isArray(accessList) || accessList.length !== 0) return undefined
    if (!isQuantity(tx.maxFeePerGas) || !isQuantity(tx.maxPriorityFeePerGas)) return undefined
    if (tx.yParity !== v || tx.chainId !== chainId) return undefined
    fields = feeMarketFields
    typeNumber = 2
    maxFeePerGas = tx.maxFeePerGas
    maxPriorityFeePerGas = tx.maxPriorityFeePerGas
  } else if (type === "0x0") {
    fields = legacyFields
    typeNumber = 0
    if (namesChain(v)) {
      if (tx.chainId !== chainId) return undefined
      fields++
    }
  } else return undefined
  const { shared } = context
  if (countKeys(tx) !== fields + countShared(tx as Json, shared.tx)) return undefined
  if (countKeys(receipt) !== receiptFields + countShared(receipt as unknown as Json, shared.receipt)) {
    return undefined
  }
  const indexText = quantityText(index)
  if (
    tx.blockHash !== block.hash ||
    receipt.blockHash !== block.hash ||
    context.columns.hash !== block.hash ||
    tx.blockNumber !== numberText ||
    receipt.blockNumber !== numberText ||
    tx.transactionIndex !== indexText ||
    receipt.transactionIndex !== indexText ||
    receipt.transactionHash !== hash ||
    receipt.from !== from ||
    receipt.to !== to ||
    receipt.type !== type ||
    blooms.inexact?.has(index) === true
  ) {
    return undefined
  }
  const { status, contractAddress, gasUsed, cumulativeGasUsed, effectiveGasPrice } = receipt
  if (
    (status !== "0x1" && status !== "0x0") ||
    !isFixedHex(hash, 32) ||
    !isFixedHex(from, 20) ||
    (to !== null && !isFixedHex(to, 20)) ||
    (contractAddress !== null && !isFixedHex(contractAddress, 20)) ||
    !isQuantity(nonce) ||
    !isQuantity(value) ||
    !isQuantity(gas) ||
    !isQuantity(gasPrice) ||
    !isHexBytes(input) ||
    !isQuantity(v) ||
    !isWord(r) ||
    !isWord(s) ||
    !isQuantity(gasUsed) ||
    !isQuantity(cumulativeGasUsed) ||
    !isQuantity(effectiveGasPrice)
  ) {
    return undefined
  }
  return {
    id: hash,
    index,
    type: typeNumber,
    status: status === "0x1" ? 1 : 0,
    from,
    to,
    nonce,
    value,
    gasLimit: gas,
    gasUsed,
    cumulativeGasUsed,
    gasPrice,
    maxFeePerGas,
    maxPriorityFeePerGas,
    effectiveGasPrice,
    contractAddress,
    input,
    signature: signatureOf(r, s, v),
    eventCount: receipt.logs.length,
    extra: null,
  }
}

const isWord = (value: unknown): value is string => isQuantity(value) && value.length <= 66

/** r and s as 32 bytes each, then v in as few whole bytes as it takes, at least one. */
function signatureOf(r: string, s: string, v: string): string {
  const rText = r.length === 66 ? r : `0x${r.slice(2).padStart(64, "0")}`
  const sText = s.length === 66 ? s.slice(2) : s.slice(2).padStart(64, "0")
  const vText = v.length === 3 ? `0${v.charAt(2)}` : v.length % 2 === 1 ? `0${v.slice(2)}` : v.slice(2)
  return rText + sText + vText
}

function generalTransaction(
  tx: TransactionJson,
  receipt: ReceiptJson | undefined,
  index: number,
  context: Context,
): EvmTransaction {
  const type = quantityValue(tx.type)
  // The parity is what the hash of a typed transaction proves; beside it, v is only a node's word.
  const parity = type > 0 && tx.yParity !== undefined ? tx.yParity : tx.v
  const [r, s, v] = [toQuantity(tx.r), toQuantity(tx.s), toQuantity(parity)]
  const signed = r !== null && s !== null && v !== null && r.length <= 66 && s.length <= 66
  const status = statusOf(receipt, context)
  const row = {
    id: toHexBytes(tx.hash, 32)!,
    index,
    type: type <= 0x7fff ? type : null,
    status,
    from: toHexBytes(tx.from, 20),
    // A transaction of several calls has no "to", and is not a creation.
    to: toHexBytes(tx.to === undefined ? receipt?.to : tx.to, 20),
    nonce: toQuantity(tx.nonce),
    value: toQuantity(tx.value),
    gasLimit: toQuantity(tx.gas),
    gasUsed: toQuantity(receipt?.gasUsed),
    cumulativeGasUsed: toQuantity(receipt?.cumulativeGasUsed),
    gasPrice: toQuantity(tx.gasPrice),
    maxFeePerGas: toQuantity(tx.maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(tx.maxPriorityFeePerGas),
    effectiveGasPrice: toQuantity(receipt?.effectiveGasPrice),
    contractAddress: toHexBytes(receipt?.contractAddress, 20),
    input: toHexBytes(tx.input),
    signature: signed ? signatureOf(r, s, v) : null,
    eventCount: receipt?.logs.length ?? 0,
    extra: null as string | null,
  }
  const { columns, chainId, isExact } = context
  const defaults = Object.assign(transactionDefaults(row, columns, chainId), context.shared.tx)
  const txExtra = difference(tx as Json, defaults, undefined, isExact)
  const receiptExtra = receipt === undefined ? null : receiptDifference(receipt, row, context)
  if (txExtra !== undefined || receiptExtra !== undefined) {
    const extra: Json = {}
    if (txExtra !== undefined) extra["tx"] = txExtra
    if (receiptExtra !== undefined) extra["receipt"] = receiptExtra
    row.extra = textOf(extra, isExact)
  }
  return row
}

/**
 * Null before Byzantium, when a receipt had the state root instead: some nodes send a status beside it that says
 * "failed" of every transaction. A base fee is of a later fork than Byzantium.
 */
function statusOf(receipt: ReceiptJson | undefined, { block }: Context): number | null {
  if (receipt === undefined || (hasStateRoot(receipt) && toQuantity(block.baseFeePerGas) === null)) return null
  const status = quantityValue(receipt.status)
  return status === 0 || status === 1 ? status : null
}

function receiptDifference(receipt: ReceiptJson, row: EvmTransaction, context: Context): Json | undefined {
  const defaults = Object.assign(receiptDefaults(row, context.columns), context.shared.receipt)
  // The bloom sent means "as computed" here; undefined, which is never sent, marks a bloom that has to be kept.
  const kept = context.blooms.inexact?.has(row.index) === true
  defaults["logsBloom"] = kept ? undefined : receipt.logsBloom
  return difference(receipt as unknown as Json, defaults, "logs", context.isExact)
}

const plainLogFields = 9

function decodeLog(log: LogJson, row: EvmTransaction, context: Context): EvmEvent {
  const { block, numberText, shared, blooms } = context
  const index = quantityValue(log.logIndex)
  const event = {
    transactionIndex: row.index,
    index,
    transactionId: row.id,
    address: log.address,
    topics: log.topics,
    data: log.data as string | null,
    extra: null as string | null,
  }
  if (
    blooms.canonical &&
    countKeys(log) === (shared.log === undefined ? plainLogFields : plainLogFields + 1) &&
    (shared.log === undefined || log.blockTimestamp === shared.log.blockTimestamp) &&
    log.removed === false &&
    log.blockHash === block.hash &&
    context.columns.hash === block.hash &&
    log.transactionHash === row.id &&
    log.blockNumber === numberText &&
    log.transactionIndex === quantityText(row.index) &&
    log.logIndex === quantityText(index) &&
    isHexBytes(log.data)
  ) {
    return event
  }
  event.address = toHexBytes(log.address, 20)!
  event.topics = log.topics.map((topic) => toHexBytes(topic, 32)!)
  event.data = toHexBytes(log.data)
  const defaults = Object.assign(logDefaults(event, context.columns), shared.log)
  event.extra = textOf(difference(log as unknown as Json, defaults, undefined, context.isExact), context.isExact)
  return event
}
