// Reads stored EVM blocks by binary COPY, in pieces of a bounded number of rows, so that memory is bounded whatever
// the range holds.

import type { BlockRange } from "../../../domain/block-range.js"
import type { BinaryRows } from "../../../postgres/binary-rows.js"
import type { SqlConnection } from "../../../postgres/sql-connection.js"
import type { StoredBlocks } from "../../../workers/raw-range.js"
import type { BlockView } from "./block-view.js"
import { eventColumns } from "./raw-tables.js"
import {
  blockViewColumns,
  RawBlockView,
  RawEventView,
  RawTransactionView,
  transactionViewColumns,
} from "./raw-views.js"

const rowsPerPiece = 20_000

export async function readBlocks(connection: SqlConnection, range: BlockRange): Promise<StoredBlocks<BlockView>> {
  const blocks = await connection.copyOut(
    `select ${blockViewColumns.join(", ")} from raw.blocks where height >= ${range.from} and height < ${range.to} order by height`,
    { fields: blockViewColumns.length },
  )
  let at = 0
  return {
    count: blocks.count,
    next: async () => {
      if (at >= blocks.count) return undefined
      const end = pieceEnd(blocks, at)
      const piece = await readPiece(connection, { blocks, from: at, to: end })
      at = end
      return piece
    },
  }
}

const transactionCountAt = blockViewColumns.indexOf("transaction_count")
const eventCountAt = blockViewColumns.indexOf("event_count")

function pieceEnd(blocks: BinaryRows, from: number): number {
  let rows = 0
  let at = from
  while (at < blocks.count && (at === from || rows < rowsPerPiece)) {
    rows += 1 + blocks.int4(at, transactionCountAt)! + blocks.int4(at, eventCountAt)!
    at++
  }
  return at
}

async function readPiece(
  connection: SqlConnection,
  { blocks, from, to }: { blocks: BinaryRows; from: number; to: number },
): Promise<BlockView[]> {
  const where = `block_height >= ${blocks.int8(from, 0)} and block_height <= ${blocks.int8(to - 1, 0)}`
  const transactions = await connection.copyOut(
    `select ${transactionViewColumns.join(", ")} from raw.transactions where ${where} order by block_height, transaction_index`,
    { fields: transactionViewColumns.length },
  )
  const events = await connection.copyOut(
    `select ${eventColumns.join(", ")} from raw.events where ${where} order by block_height, transaction_index, event_index`,
    { fields: eventColumns.length },
  )
  const piece: BlockView[] = []
  let nextTransaction = 0
  let nextEvent = 0
  for (let row = from; row < to; row++) {
    const height = blocks.int8(row, 0)!
    const ofBlock: RawTransactionView[] = []
    while (nextTransaction < transactions.count && transactions.int8(nextTransaction, 0) === height)
      ofBlock.push(new RawTransactionView(transactions, nextTransaction++))
    const eventsOfBlock: RawEventView[] = []
    let owner = 0
    while (nextEvent < events.count && events.int8(nextEvent, 0) === height) {
      const event = new RawEventView(events, nextEvent++)
      eventsOfBlock.push(event)
      while (owner < ofBlock.length && ofBlock[owner]!.index < event.transactionIndex) owner++
      ofBlock[owner]?.events.push(event)
    }
    piece.push(new RawBlockView(blocks, row, { transactions: ofBlock, events: eventsOfBlock }))
  }
  return piece
}
