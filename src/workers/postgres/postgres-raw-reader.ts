// Reads raw ranges over one connection, each in one REPEATABLE READ snapshot. The chain family reads the blocks from their
// tables.

import { type BlockRange, formatRange } from "../../domain/block-range.js"
import { countHeights, intersect, type RangeSet } from "../../domain/range-set.js"
import { IndexerError } from "../../platform/errors.js"
import { parseMultirange } from "../../postgres/multirange.js"
import type { SqlConnection } from "../../postgres/sql-connection.js"
import type { Queryable } from "../../postgres/transaction.js"
import type { RawRange, RawReader, ReadableBlock, ReadBlocks } from "../raw-range.js"

/** The server ends the snapshot of a reader that stopped. */
const idleInTransactionTimeoutMs = 60_000

interface RawReaderOptions<Block extends ReadableBlock> {
  readonly connect: () => Promise<SqlConnection>
  readonly readBlocks: ReadBlocks<Block>
}

export class PostgresRawReader<Block extends ReadableBlock = ReadableBlock> implements RawReader<Block> {
  private connection: SqlConnection | undefined

  constructor(private readonly options: RawReaderOptions<Block>) {}

  async open(range: BlockRange): Promise<RawRange<Block>> {
    if (!this.connection || this.connection.closed) this.connection = await this.options.connect()
    const { connection } = this
    await connection.begin({ isolation: "repeatable read", readOnly: true, idleInTransactionTimeoutMs })
    try {
      return await openSnapshot(connection, { range, readBlocks: this.options.readBlocks })
    } catch (error) {
      await endSnapshot(connection)
      throw error
    }
  }

  async close(): Promise<void> {
    await this.connection?.end()
  }
}

/** The chain's epoch in the snapshot, and what raw covers. Throws NOT_COVERED. */
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
  // Coverage is a promise that the rows must keep: a missing block would be derived as if it were empty.
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
    // Nothing was written; a connection that cannot roll back is unusable.
    connection.destroy()
  }
}
