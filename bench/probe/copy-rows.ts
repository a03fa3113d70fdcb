// One transaction of binary COPYs into the product's raw tables, and nothing beside them.

import {
  blockColumns,
  blockLookupColumns,
  eventColumns,
  transactionColumns,
  txLookupColumns,
} from "../../src/families/evm/raw/raw-tables.js"
import type { Connection } from "../../src/postgres/connection.js"

export interface CopyTarget {
  readonly table: string
  readonly columns: readonly string[]
  /** The column that says which blocks a row belongs to. */
  readonly height: string
  /** The order in which the product writes them. */
  readonly order: string
}

export const copyTargets: readonly CopyTarget[] = [
  { table: "raw.blocks", columns: blockColumns, height: "height", order: "height" },
  {
    table: "raw.transactions",
    columns: transactionColumns,
    height: "block_height",
    order: "block_height, transaction_index",
  },
  {
    table: "raw.events",
    columns: eventColumns,
    height: "block_height",
    order: "block_height, transaction_index, event_index",
  },
  {
    table: "raw.tx_lookup",
    columns: txLookupColumns,
    height: "block_height",
    order: "block_height, tx_index",
  },
  { table: "raw.block_lookup", columns: blockLookupColumns, height: "height", order: "height" },
]

/** Buffers in the order of `copyTargets`. */
export async function copyRows(connection: Connection, buffers: readonly Buffer[]): Promise<void> {
  await connection.begin()
  for (const [i, { table, columns }] of copyTargets.entries()) {
    if (buffers[i]!.length > 0) await connection.copyIn(table, columns, [buffers[i]!])
  }
  await connection.commit()
}
