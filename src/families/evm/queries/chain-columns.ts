// What the queries of this family share: the columns of a place in the chain, and how a hash becomes a place.

import type { Queryable } from "../../../postgres/transaction.js"
import type { KeyColumn, RequestValues, ResourceColumn } from "../../../queries/resource.js"
import { bytes, bytesOf, integer, number, timestamp } from "../../../queries/value-schemas.js"

/** Of a row `t` with a place in the chain. */
export const placeColumns: Readonly<Record<string, ResourceColumn>> = {
  block_height: number("t.block_height"),
  transaction_index: integer("t.transaction_index"),
  transaction_hash: bytes("t.transaction_id"),
}
export const eventPlaceColumns: Readonly<Record<string, ResourceColumn>> = {
  ...placeColumns,
  event_index: integer("t.event_index"),
  timestamp: timestamp("t.timestamp"),
}

export const transactionKey: readonly KeyColumn[] = [
  { column: "t.block_height", type: "int8" },
  { column: "t.transaction_index", type: "int4" },
]
export const eventKey: readonly KeyColumn[] = [...transactionKey, { column: "t.event_index", type: "int4" }]

/** `:hash` of a transaction. */
export async function lookUpTransaction(
  raw: Queryable,
  { hash }: RequestValues,
  { isLast = true } = {},
): Promise<RequestValues | undefined> {
  const { rows } = await raw.query<{ height: string; place: number }>(
    "select block_height as height, tx_index as place from raw.tx_lookup where id = $1 order by block_height desc limit 1",
    [bytesOf(hash!)],
    { isLast },
  )
  return rows[0] && { lookup_height: rows[0].height, lookup_index: String(rows[0].place) }
}

/** `:block` is a height or a hash. */
export async function lookUpBlock(
  raw: Queryable,
  { block }: RequestValues,
  { isLast = true } = {},
): Promise<RequestValues | undefined> {
  if (!block!.startsWith("0x")) return { lookup_height: block! }
  const { rows } = await raw.query<{ height: string }>(
    "select height from raw.block_lookup where id = $1",
    [bytesOf(block!)],
    { isLast },
  )
  return rows[0] && { lookup_height: rows[0].height }
}
