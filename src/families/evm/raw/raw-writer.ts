// EVM blocks into the rows of the raw tables, lookups included, and those into the open transaction.

import type { Hex } from "../../../domain/linked-block.js"
import { CopyBuffer } from "../../../postgres/copy-buffer.js"
import type { CopiedTable } from "../../../postgres/copy-in.js"
import type { SqlConnection } from "../../../postgres/sql-connection.js"
import type { BlockWriter, FlushOptions } from "../../../raw/block-writer.js"
import { eventsSample } from "./events-sample.js"
import type { EvmBlock, EvmEvent, EvmTransaction } from "./evm-block.js"
import { blockColumns, blockLookupColumns, eventColumns, transactionColumns, txLookupColumns } from "./raw-tables.js"

/** A table's buffer that grew beyond this for one huge block is let go afterwards. */
const keptBytes = 8 << 20

/** Less is copied into all tables at once. */
const smallBytes = 1 << 20

export class RawWriter implements BlockWriter<EvmBlock> {
  private readonly denormalizeEvents: boolean
  private readonly blocks = new CopyBuffer(1 << 14)
  private readonly transactions = new CopyBuffer(1 << 18)
  private readonly events = new CopyBuffer(1 << 18)
  private readonly txLookup = new CopyBuffer(1 << 16)
  private readonly blockLookup = new CopyBuffer(1 << 12)
  private readonly idScratch = new CopyBuffer(64)
  private lastId: Hex = ""
  private lastIdField: Uint8Array = new Uint8Array()

  constructor({ denormalizeEvents = false }: { denormalizeEvents?: boolean } = {}) {
    this.denormalizeEvents = denormalizeEvents
  }

  get byteLength(): number {
    return (
      this.blocks.byteLength +
      this.transactions.byteLength +
      this.events.byteLength +
      this.txLookup.byteLength +
      this.blockLookup.byteLength
    )
  }

  add(block: EvmBlock): void {
    this.encodeBlock(block)
    const samples = this.denormalizeEvents ? eventsSample(block.events) : undefined
    let next = 0
    for (const transaction of block.transactions) {
      this.encodeTransaction(block, transaction, samples?.get(transaction.index) ?? null)
      // Its events follow at once: they share its id, and they come in the same order.
      while (block.events[next]?.transactionIndex === transaction.index) {
        this.encodeEvent(block.height, block.events[next++]!)
      }
    }
    if (next !== block.events.length) throw new Error(`block ${block.height} has events out of order`)
  }

  /** A few blocks go to the server at once, many a table at a time. */
  async flush(tx: SqlConnection, { schema = "raw", lookups = true, between }: FlushOptions = {}): Promise<void> {
    const isSmall = this.byteLength < smallBytes
    const tables: [string, readonly string[], CopyBuffer][] = [
      ["blocks", blockColumns, this.blocks],
      ["transactions", transactionColumns, this.transactions],
      ["events", eventColumns, this.events],
      ["tx_lookup", txLookupColumns, this.txLookup],
      ["block_lookup", blockLookupColumns, this.blockLookup],
    ]
    const copies = tables.flatMap(([table, columns, buffer]): CopiedTable[] => {
      const isLookup = buffer === this.txLookup || buffer === this.blockLookup
      if (buffer.rows === 0 || (isLookup && !lookups)) return []
      return [{ table: `${schema}.${table}`, columns, buffers: [buffer.view()] }]
    })
    if (isSmall) await tx.copyInAll(copies)
    else {
      for (const [at, copy] of copies.entries()) {
        if (at > 0) await between?.()
        await tx.copyInAll([copy])
      }
    }
    for (const [, , buffer] of tables) buffer.reset(keptBytes)
  }

  reset(): void {
    for (const buffer of [this.blocks, this.transactions, this.events, this.txLookup, this.blockLookup]) {
      buffer.reset(keptBytes)
    }
  }

  /** A transaction's id as a field, encoded once for its row, its lookup and all its events. */
  private idField(id: Hex): Uint8Array {
    if (id !== this.lastId) {
      this.idScratch.reset()
      this.idScratch.bytesHex(id)
      this.lastId = id
      // The same memory each time, so the same view: one for each transaction would be work for the collector.
      if (this.lastIdField.length !== this.idScratch.byteLength) this.lastIdField = this.idScratch.view()
    }
    return this.lastIdField
  }

  private encodeBlock(block: EvmBlock): void {
    const row = this.blocks
    row.row(blockColumns.length)
    row.int8(block.height)
    row.bytesHex(block.hash)
    row.bytesHex(block.parentHash)
    row.timestamptzUs(block.timestampUs)
    row.int4(block.transactionCount)
    row.int4(block.eventCount)
    bytesOrNull(row, block.miner)
    numericOrNull(row, block.gasLimit)
    numericOrNull(row, block.gasUsed)
    numericOrNull(row, block.baseFeePerGas)
    bytesOrNull(row, block.stateRoot)
    bytesOrNull(row, block.transactionsRoot)
    bytesOrNull(row, block.receiptsRoot)
    textOrNull(row, block.extra)
    const lookup = this.blockLookup
    lookup.row(blockLookupColumns.length)
    lookup.bytesHex(block.hash)
    lookup.int8(block.height)
    lookup.timestamptzUs(block.timestampUs)
  }

  private encodeTransaction(block: EvmBlock, transaction: EvmTransaction, sample: string | null): void {
    const row = this.transactions
    row.row(transactionColumns.length)
    row.int8(block.height)
    const id = this.idField(transaction.id)
    row.rawField(id)
    row.int4(transaction.index)
    if (transaction.type === null) row.null()
    else row.int2(transaction.type)
    if (transaction.status === null) row.null()
    else row.int2(transaction.status)
    bytesOrNull(row, transaction.from)
    bytesOrNull(row, transaction.to)
    numericOrNull(row, transaction.nonce)
    numericOrNull(row, transaction.value)
    numericOrNull(row, transaction.gasLimit)
    numericOrNull(row, transaction.gasUsed)
    numericOrNull(row, transaction.cumulativeGasUsed)
    numericOrNull(row, transaction.gasPrice)
    numericOrNull(row, transaction.maxFeePerGas)
    numericOrNull(row, transaction.maxPriorityFeePerGas)
    numericOrNull(row, transaction.effectiveGasPrice)
    bytesOrNull(row, transaction.contractAddress)
    bytesOrNull(row, transaction.input)
    bytesOrNull(row, transaction.signature)
    row.int4(transaction.eventCount)
    textOrNull(row, sample)
    textOrNull(row, transaction.extra)
    const lookup = this.txLookup
    lookup.row(txLookupColumns.length)
    lookup.rawField(id)
    lookup.int8(block.height)
    lookup.int4(transaction.index)
    lookup.timestamptzUs(block.timestampUs)
  }

  private encodeEvent(height: number, event: EvmEvent): void {
    const row = this.events
    const { topics } = event
    row.row(eventColumns.length)
    row.int8(height)
    row.int4(event.transactionIndex)
    row.int4(event.index)
    row.rawField(this.idField(event.transactionId))
    bytesOrNull(row, event.address)
    for (let i = 0; i < 4; i++) bytesOrNull(row, topics[i] ?? null)
    bytesOrNull(row, event.data)
    textOrNull(row, event.extra)
  }
}

function bytesOrNull(row: CopyBuffer, value: Hex | null): void {
  if (value === null) row.null()
  else row.bytesHex(value)
}

function numericOrNull(row: CopyBuffer, value: Hex | null): void {
  if (value === null) row.null()
  else row.numericHex(value)
}

// Also for bytea columns: the bytes of the text are the same on the wire.
function textOrNull(row: CopyBuffer, value: string | null): void {
  if (value === null) row.null()
  else row.text(value)
}
