// Rebuilds the node's JSON from raw rows: defaults from the columns, then the differences in `extra`. Decoding
// stores in `extra` exactly the difference to these defaults, so the two are inverse to each other by construction.

import type { EvmBlock, EvmEvent, EvmTransaction } from "../raw/evm-block.js"
import { BloomReader } from "./bloom.js"
import { holdsInexact, parseExactJson, setOwn } from "./exact-json.js"
import { quantityText, quantityValue } from "./hex-text.js"

export type Json = Record<string, unknown>

/** In `extra`: fields that the columns give and the node did not send. A node's key with "~" gets another "~". */
export const absentKey = "~absent"
/**
 * In a block's `extra`: fields that all its transactions, receipts or logs repeat, such as blockTimestamp. A row with
 * another value has it in its own `extra`.
 */
export const sharedKeys = { tx: "~tx", receipt: "~receipt", log: "~log" } as const

type BlockColumns = Pick<EvmBlock, "height" | "hash" | "timestampUs" | "extra">

export interface RebuildOptions {
  /** The chain's id as a quantity when the row was decoded; null when it was unknown. */
  readonly chainId: string | null
}

/** A transaction as the node sent it. Numbers that no double can hold are ExactNumber; see stringifyExact. */
export function transactionJson(row: EvmTransaction, block: BlockColumns, options: RebuildOptions): Json {
  const defaults = transactionDefaults(row, block, options.chainId)
  Object.assign(defaults, parseExtra(block.extra)?.[sharedKeys.tx])
  return applyExtra(defaults, parseExtra(row.extra)?.["tx"])
}

/** The receipt of a transaction with its logs; null where the node had none. */
export function receiptJson(row: EvmTransaction, events: readonly EvmEvent[], block: BlockColumns): Json | null {
  const extra = parseExtra(row.extra)?.["receipt"]
  if (extra === null) return null
  const shared = parseExtra(block.extra)
  const receipt = receiptDefaults(row, block)
  Object.assign(receipt, shared?.[sharedKeys.receipt])
  receipt["logsBloom"] = new BloomReader(64).textOf(events)
  receipt["logs"] = events.map((event) =>
    applyExtra(Object.assign(logDefaults(event, block), shared?.[sharedKeys.log]), parseExtra(event.extra)),
  )
  return applyExtra(receipt, extra)
}

/** The header, without the list of transactions. */
export function headerJson(block: EvmBlock): Json {
  const header = headerDefaults(block)
  header["logsBloom"] = new BloomReader(64).textOf(block.events)
  const extra = parseExtra(block.extra)
  for (const key of Object.values(sharedKeys)) if (extra !== undefined) delete extra[key]
  return applyExtra(header, extra)
}

const timestampText = (block: BlockColumns): string => quantityText(Number(block.timestampUs / 1_000_000n))

function setPresent(into: Json, fields: Readonly<Json>): void {
  for (const key in fields) if (fields[key] !== null) into[key] = fields[key]
}

export function transactionDefaults(row: EvmTransaction, block: BlockColumns, chainId: string | null): Json {
  const out: Json = {
    blockHash: block.hash,
    blockNumber: quantityText(block.height),
    transactionIndex: quantityText(row.index),
    hash: row.id,
    to: row.to,
  }
  setPresent(out, {
    from: row.from,
    type: row.type === null ? null : quantityText(row.type),
    nonce: row.nonce,
    value: row.value,
    gas: row.gasLimit,
    gasPrice: row.gasPrice,
    maxFeePerGas: row.maxFeePerGas,
    maxPriorityFeePerGas: row.maxPriorityFeePerGas,
    input: row.input,
  })
  const typed = row.type !== null && row.type >= 1 && row.type <= 4
  if (row.signature !== null) {
    out["r"] = trimmed(row.signature.slice(2, 66))
    out["s"] = trimmed(row.signature.slice(66, 130))
    out["v"] = trimmed(row.signature.slice(130))
    if (typed) out["yParity"] = out["v"]
  }
  if (typed) out["accessList"] = []
  if (chainId !== null && (typed || (isLegacy(row.type) && namesChain(out["v"])))) out["chainId"] = chainId
  return out
}

const isLegacy = (type: number | null): boolean => type === null || type === 0

/** A legacy signature with v of 35 or more is bound to a chain (EIP-155), and nodes add its id. */
export const namesChain = (v: unknown): boolean => typeof v === "string" && (v.length > 4 || quantityValue(v) >= 35)

const trimmed = (digits: string): string => `0x${digits.replace(/^0+/, "") || "0"}`

export function receiptDefaults(row: EvmTransaction, block: BlockColumns): Json {
  const out: Json = {
    blockHash: block.hash,
    blockNumber: quantityText(block.height),
    transactionHash: row.id,
    transactionIndex: quantityText(row.index),
    to: row.to,
    contractAddress: row.contractAddress,
  }
  setPresent(out, {
    from: row.from,
    type: row.type === null ? null : quantityText(row.type),
    status: row.status === null ? null : quantityText(row.status),
    gasUsed: row.gasUsed,
    cumulativeGasUsed: row.cumulativeGasUsed,
    effectiveGasPrice: row.effectiveGasPrice,
  })
  return out
}

export function logDefaults(event: EvmEvent, block: BlockColumns): Json {
  const out: Json = {
    topics: event.topics,
    blockHash: block.hash,
    blockNumber: quantityText(block.height),
    transactionHash: event.transactionId,
    transactionIndex: quantityText(event.transactionIndex),
    logIndex: quantityText(event.index),
    removed: false,
  }
  setPresent(out, { address: event.address, data: event.data })
  return out
}

export function headerDefaults(block: Omit<EvmBlock, "events" | "transactions">): Json {
  const out: Json = {
    number: quantityText(block.height),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: timestampText(block),
  }
  setPresent(out, {
    miner: block.miner,
    gasLimit: block.gasLimit,
    gasUsed: block.gasUsed,
    baseFeePerGas: block.baseFeePerGas,
    stateRoot: block.stateRoot,
    transactionsRoot: block.transactionsRoot,
    receiptsRoot: block.receiptsRoot,
  })
  return out
}

function parseExtra(text: string | null): Json | undefined {
  if (text === null) return undefined
  const plain = JSON.parse(text) as Json
  return holdsInexact(plain) ? (parseExactJson(text) as Json) : plain
}

function applyExtra(defaults: Json, extra: unknown): Json {
  if (typeof extra !== "object" || extra === null) return defaults
  for (const [key, value] of Object.entries(extra)) {
    if (key === absentKey) for (const absent of value as string[]) delete defaults[absent]
    else setOwn(defaults, key.startsWith("~") ? key.slice(1) : key, value)
  }
  return defaults
}
