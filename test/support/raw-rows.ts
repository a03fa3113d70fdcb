// Raw rows written by hand: a test says which blocks, transactions and logs there are, and nothing else is made up but hashes.

import { evmRawTables } from "../../src/families/evm/raw/raw-tables.js"
import { ensurePartitions } from "../../src/partitions/ensure-partitions.js"
import { Database } from "../../src/postgres/database.js"
import type { Queryable } from "../../src/postgres/transaction.js"

export interface LogRow {
  readonly address: string | null
  readonly topics: readonly string[]
  readonly data: string | null
}

export interface TransactionRow {
  readonly id: string
  /** Further columns of raw.transactions by name; bytes as `\x…`. */
  readonly columns: Readonly<Record<string, string | number | null>>
  readonly logs: readonly LogRow[]
}

export interface BlockRow {
  readonly height: number
  /** Made from the height unless given. */
  readonly hash?: string
  readonly timestamp: string
  readonly baseFee: number | null
  readonly transactions: readonly TransactionRow[]
}

/** Logs are numbered through the block. Bytes are hex without a prefix. */
export async function insertRawRows(url: string, blocks: readonly BlockRow[]): Promise<void> {
  const database = new Database({ url, applicationName: "test" })
  try {
    const heights = blocks.map(({ height }) => height)
    const range = { from: Math.min(...heights), to: Math.max(...heights) + 1 }
    await ensurePartitions(database, { tables: evmRawTables, range })
    for (const block of blocks) await insertRawBlock(database, block)
  } finally {
    await database.end()
  }
}

const bytes = (hex: string | null | undefined): string | null =>
  hex === null || hex === undefined ? null : `\\x${hex}`

/** With its lookups. Its partitions are there. */
export async function insertRawBlock(database: Queryable, block: BlockRow): Promise<void> {
  const hash = bytes(block.hash ?? block.height.toString(16).padStart(64, "0"))
  const logs = block.transactions.flatMap((transaction) => transaction.logs)
  await database.query(
    `insert into raw.blocks (height, hash, parent_hash, timestamp, transaction_count, event_count, base_fee_per_gas)
     values ($1, $2, '\\x00', $3, $4, $5, $6)`,
    [block.height, hash, block.timestamp, block.transactions.length, logs.length, block.baseFee],
  )
  await database.query("insert into raw.block_lookup (id, height, timestamp) values ($1, $2, $3)", [
    hash,
    block.height,
    block.timestamp,
  ])
  let eventIndex = 0
  for (const [index, { id, columns, logs }] of block.transactions.entries()) {
    const names = Object.keys(columns)
    await database.query(
      `insert into raw.transactions (${["block_height", "id", "transaction_index", "event_count", ...names].join(", ")})
       values ($1, $2, $3, $4${names.map((_, i) => `, $${i + 5}`).join("")})`,
      [block.height, bytes(id), index, logs.length, ...Object.values(columns)],
    )
    await database.query("insert into raw.tx_lookup (id, block_height, tx_index, timestamp) values ($1, $2, $3, $4)", [
      bytes(id),
      block.height,
      index,
      block.timestamp,
    ])
    for (const { address, topics, data } of logs) {
      await database.query(
        `insert into raw.events (block_height, transaction_index, event_index, transaction_id, address, topic0, topic1,
           topic2, topic3, data) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          ...[block.height, index, eventIndex++, bytes(id), bytes(address)],
          ...[0, 1, 2, 3].map((i) => bytes(topics[i])),
          bytes(data),
        ],
      )
    }
  }
}
