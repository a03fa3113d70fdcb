// A list's total out of a counter that is kept for each contract.

import type { ListResource } from "../../../queries/resource.js"
import { bytesOf } from "../../../queries/value-schemas.js"

/** The number that a table has for the contract; no row: nothing was counted. */
export function countedBy({ table, column }: { table: string; column: string }): NonNullable<ListResource["total"]> {
  return async (tx, { request }) => {
    // It counts what is there now.
    if (request["at"] !== undefined) return undefined
    const { rows } = await tx.query<{ total: string }>(
      `select ${column} as total from app.${table} where contract_address = $1`,
      [bytesOf(request["contract"]!)],
    )
    return rows[0]?.total ?? "0"
  }
}
