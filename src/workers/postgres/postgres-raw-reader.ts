// Reads raw ranges over one connection, in one REPEATABLE READ snapshot a range. How the blocks are read out of their tables is
// their family's part.

import { type BlockRange, formatRange } from "../../domain/block-range.js"
import { countHeights, intersect, type RangeSet } from "../../domain/range-set.js"
import { IndexerError } from "../../platform/errors.js"
import { parseMultirange } from "../../postgres/multirange.js"
import type { SqlConnection } from "../../postgres/sql-connection.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { RawRange, RawReader, ReadableBlock, ReadBlocks } from "../raw-range.js"

/** A snapshot whose reader fell silent is ended by the server. */
const idleInTransactionTimeoutMs = 60_000

export class PostgresRawReader<Block extends ReadableBlock = ReadableBlock> implements RawReader<Block> {
  private readonly connect: () => Promise<SqlConnection>
  private readonly readBlocks: ReadBlocks<Block>
  private connection: SqlConnection | undefined

  constructor(options: { connect: () => Promise<SqlConnection>; readBlocks: ReadBlocks<Block> }) {
    this.connect = options.connect
    this.readBlocks = options.readBlocks
  }

  async open(range: BlockRange): Promise<RawRange<Block>> {
    if (!this.connection || this.connection.closed) this.connection = await this.connect()
    const { connection } = this
    await connection.begin({ isolation: "repeatable read", readOnly: true, idleInTransactionTimeoutMs })
    try {
      return await openSnapshot(connection, { range, readBlocks: this.readBlocks })
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
export async function openSnapshot<Block extends ReadableBlock>(
  connection: SqlConnection,
  { range, readBlocks }: { range: BlockRange; readBlocks: ReadBlocks<Block> },
): Promise<RawRange<Block>> {
  const { chainEpoch, heights } = await readRangeState(connection, range)
  const blocks = await readBlocks(connection, range)
  // Coverage is the promise, the rows have to keep it: one block fewer would be derived as if it had been empty.
  const promised = countHeights(intersect(heights, [range]))
  if (blocks.count !== promised) {
    throw new Error(`raw.blocks has ${blocks.count} rows in ${formatRange(range)}, coverage says ${promised}`)
  }
  let open = true
  return {
    chainEpoch,
    next: () => blocks.next(),
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
