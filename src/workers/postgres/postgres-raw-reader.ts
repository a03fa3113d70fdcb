// Reads raw ranges over one connection, by binary COPY, in one REPEATABLE READ snapshot a range. Blocks come in pieces of a
// bounded number of rows, so that memory is bounded whatever the range holds.

import { type BlockRange, formatRange } from "../../domain/block-range.js"
import { countHeights, intersect, type RangeSet } from "../../domain/range-set.js"
import type { BlockView } from "../../families/evm/raw/block-view.js"
import {
  blockViewColumns,
  eventViewColumns,
  RawBlockView,
  RawEventView,
  RawTransactionView,
  transactionViewColumns,
} from "../../families/evm/raw/raw-views.js"
import { IndexerError } from "../../platform/errors.js"
import type { BinaryRows } from "../../postgres/binary-rows.js"
import { parseMultirange } from "../../postgres/multirange.js"
import type { SqlConnection } from "../../postgres/sql-connection.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { RawRange, RawReader } from "../raw-range.js"

const rowsPerPiece = 20_000
/** A snapshot whose reader fell silent is ended by the server. */
const idleInTransactionTimeoutMs = 60_000

export class PostgresRawReader implements RawReader {
  private readonly connect: () => Promise<SqlConnection>
  private connection: SqlConnection | undefined

  constructor({ connect }: { connect: () => Promise<SqlConnection> }) {
    this.connect = connect
  }

  /** The connection, for other use between ranges. */
  async idleConnection(): Promise<SqlConnection> {
    if (!this.connection || this.connection.closed) this.connection = await this.connect()
    return this.connection
  }

  async open(range: BlockRange): Promise<RawRange> {
    const connection = await this.idleConnection()
    await connection.begin({ isolation: "repeatable read", readOnly: true, idleInTransactionTimeoutMs })
    try {
      return await openSnapshot(connection, range)
    } catch (error) {
      await endSnapshot(connection)
      throw error
    }
  }

  async close(): Promise<void> {
    await this.connection?.end()
  }
}

/** What the snapshot says of the range: at which epoch it is, and which heights of it raw has. Throws NOT_COVERED. */
export async function readRangeState(
  sql: Queryable,
  range: BlockRange,
): Promise<{ readonly chainEpoch: number; readonly heights: RangeSet }> {
  const {
    rows: [state],
  } = await sql.query<{ chain_epoch: string; heights: string; covered: boolean }>(
    `select chain_state.chain_epoch, coverage.heights::text as heights,
       coverage.heights + coverage.skipped @> int8range($1::int8, $2::int8) as covered
     from raw.chain_state cross join raw.coverage where coverage.worker_type = 'raw_ingester'`,
    [range.from, range.to],
  )
  if (!state?.covered) {
    throw new IndexerError("NOT_COVERED", `the raw store no longer covers ${formatRange(range)}`)
  }
  return { chainEpoch: Number(state.chain_epoch), heights: parseMultirange(state.heights) }
}

/** In a snapshot that the connection has open; closing the range ends it. */
export async function openSnapshot(connection: SqlConnection, range: BlockRange): Promise<RawRange> {
  const { chainEpoch, heights } = await readRangeState(connection, range)
  const blocks = await connection.copyOut(
    `select ${blockViewColumns.join(", ")} from raw.blocks where height >= ${range.from} and height < ${range.to} order by height`,
    { fields: blockViewColumns.length },
  )
  // Coverage is the promise, the rows have to keep it: one block fewer would be derived as if it had been empty.
  const promised = countHeights(intersect(heights, [range]))
  if (blocks.count !== promised) {
    throw new Error(`raw.blocks has ${blocks.count} rows in ${formatRange(range)}, coverage says ${promised}`)
  }
  let at = 0
  let open = true
  return {
    chainEpoch,
    next: async () => {
      if (at >= blocks.count) return undefined
      const end = pieceEnd(blocks, at)
      const piece = await readPiece(connection, { blocks, from: at, to: end })
      at = end
      return piece
    },
    close: async () => {
      if (!open) return
      open = false
      await endSnapshot(connection)
    },
  }
}

async function endSnapshot(connection: SqlConnection): Promise<void> {
  if (connection.closed) return
  try {
    await connection.rollback()
  } catch {
    // Nothing was written; a connection that cannot even roll back is of no more use.
    connection.destroy()
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
    `select ${eventViewColumns.join(", ")} from raw.events where ${where} order by block_height, transaction_index, event_index`,
    { fields: eventViewColumns.length },
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
