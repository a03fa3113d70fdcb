// The JSON of a block and its receipts straight to the product's rows, byte for byte the same, trusting everything: only
// what the synthetic chain serves (fee market transactions, lower case hex, right blooms) comes out right.

import { RowBuffer } from "./row-buffer.js"

export interface ProbeTransaction {
  hash: string
  from: string
  to: string | null
  nonce: string
  value: string
  gas: string
  gasPrice: string
  maxFeePerGas: string
  maxPriorityFeePerGas: string
  input: string
  v: string
  r: string
  s: string
}

export interface ProbeLog {
  address: string
  topics: string[]
  data: string
  logIndex: string
  blockTimestamp: string
}

export interface ProbeReceipt {
  status: string
  gasUsed: string
  cumulativeGasUsed: string
  effectiveGasPrice: string
  contractAddress: string | null
  logs: ProbeLog[]
}

export interface ProbeBlock {
  number: string
  hash: string
  parentHash: string
  timestamp: string
  miner: string
  gasLimit: string
  gasUsed: string
  baseFeePerGas: string
  stateRoot: string
  transactionsRoot: string
  receiptsRoot: string
  transactions: ProbeTransaction[]
}

/** Header fields that have a column, or that the product recomputes. */
const notExtra = new Set([
  "number",
  "hash",
  "parentHash",
  "timestamp",
  "miner",
  "gasLimit",
  "gasUsed",
  "baseFeePerGas",
  "stateRoot",
  "transactionsRoot",
  "receiptsRoot",
  "logsBloom",
  "transactions",
])
const microsTo2000 = 946_684_800_000_000
/** More than any row has beside its hex fields of free length. */
const rowBytes = 4_096

export class RowEncoder {
  readonly blocks = new RowBuffer(1 << 18)
  readonly transactions = new RowBuffer(1 << 22)
  readonly events = new RowBuffer(1 << 22)
  readonly txLookup = new RowBuffer(1 << 20)
  readonly blockLookup = new RowBuffer(1 << 16)

  /** In the order of `copyTargets`. */
  take(): Buffer[] {
    return [this.blocks, this.transactions, this.events, this.txLookup, this.blockLookup].map((rows) => rows.take())
  }

  add(block: ProbeBlock, receipts: ProbeReceipt[]): void {
    const height = Number(block.number)
    const micros = Number(block.timestamp) * 1e6 - microsTo2000
    const { transactions } = block
    let events = 0
    for (let i = 0; i < transactions.length; i++) {
      const idAt = this.#transaction(transactions[i]!, receipts[i]!, { height, index: i, micros })
      const { logs } = receipts[i]!
      for (let k = 0; k < logs.length; k++) this.#event(logs[k]!, { height, index: i, idAt })
      events += logs.length
    }
    this.#block(block, { height, micros, events, extra: extraOf(block, receipts) })
  }

  #block(
    block: ProbeBlock,
    { height, micros, events, extra }: { height: number; micros: number; events: number; extra: string },
  ): void {
    const row = this.blocks
    row.room(rowBytes + extra.length)
    row.row(14)
    row.int8(height)
    row.hex(block.hash)
    row.hex(block.parentHash)
    row.int8(micros)
    row.int4(block.transactions.length)
    row.int4(events)
    row.hex(block.miner)
    row.numeric(block.gasLimit)
    row.numeric(block.gasUsed)
    row.numeric(block.baseFeePerGas)
    row.hex(block.stateRoot)
    row.hex(block.transactionsRoot)
    row.hex(block.receiptsRoot)
    row.text(extra)
    const lookup = this.blockLookup
    lookup.room(rowBytes)
    lookup.row(3)
    lookup.hex(block.hash)
    lookup.int8(height)
    lookup.int8(micros)
  }

  /** Returns where the encoded id stands, for the events to copy. */
  #transaction(
    tx: ProbeTransaction,
    receipt: ProbeReceipt,
    { height, index, micros }: { height: number; index: number; micros: number },
  ): number {
    const row = this.transactions
    row.room(rowBytes + tx.input.length)
    row.row(22)
    row.int8(height)
    const idAt = row.at
    row.hex(tx.hash)
    row.int4(index)
    row.int2(2)
    row.int2(receipt.status === "0x1" ? 1 : 0)
    row.hex(tx.from)
    if (tx.to === null) row.null()
    else row.hex(tx.to)
    row.numeric(tx.nonce)
    row.numeric(tx.value)
    row.numeric(tx.gas)
    row.numeric(receipt.gasUsed)
    row.numeric(receipt.cumulativeGasUsed)
    row.numeric(tx.gasPrice)
    row.numeric(tx.maxFeePerGas)
    row.numeric(tx.maxPriorityFeePerGas)
    row.numeric(receipt.effectiveGasPrice)
    if (receipt.contractAddress === null) row.null()
    else row.hex(receipt.contractAddress)
    row.hex(tx.input)
    row.length(65)
    row.digits(tx.r.length === 66 ? tx.r : `0x${tx.r.slice(2).padStart(64, "0")}`, 2)
    row.digits(tx.s.length === 66 ? tx.s : `0x${tx.s.slice(2).padStart(64, "0")}`, 2)
    row.bytes[row.at++] = tx.v === "0x1" ? 1 : 0
    row.int4(receipt.logs.length)
    row.null()
    row.null()
    const lookup = this.txLookup
    lookup.room(rowBytes)
    lookup.row(4)
    lookup.fieldFrom(row, idAt, idAt + 36)
    lookup.int8(height)
    lookup.int4(index)
    lookup.int8(micros)
    return idAt
  }

  #event(log: ProbeLog, { height, index, idAt }: { height: number; index: number; idAt: number }): void {
    const row = this.events
    const { topics } = log
    row.room(rowBytes + log.data.length)
    row.row(11)
    row.int8(height)
    row.int4(index)
    row.int4(Number(log.logIndex))
    row.fieldFrom(this.transactions, idAt, idAt + 36)
    row.hex(log.address)
    for (let i = 0; i < 4; i++) {
      const topic = topics[i]
      if (topic === undefined) row.null()
      else row.hex(topic)
    }
    row.hex(log.data)
    row.null()
  }
}

function extraOf(block: ProbeBlock, receipts: ProbeReceipt[]): string {
  const fields = block as unknown as Record<string, unknown>
  const extra: Record<string, unknown> = {}
  for (const key in fields) if (!notExtra.has(key)) extra[key] = fields[key]
  for (let i = receipts.length - 1; i >= 0; i--) {
    const last = receipts[i]!.logs.at(-1)
    if (last === undefined) continue
    extra["~log"] = { blockTimestamp: last.blockTimestamp }
    break
  }
  return JSON.stringify(extra)
}
