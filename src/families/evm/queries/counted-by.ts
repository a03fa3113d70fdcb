// A list's total out of a counter that is kept for each contract.

import type { ListResource } from "../../../queries/resource.js"
import { bytesOf } from "../../../queries/value-schemas.js"

/** The number that a table has for the contract; no row: nothing was counted. */
export function countedBy({ table, column }: { table: string; column: string }): NonNullable<ListResource["total"]> {
  return ({ request: { contract, at }, value }) =>
    // It counts what is there now.
    at === undefined
      ? `coalesce((select ${column} from app.${table} where contract_address = ${value(bytesOf(contract!))}), 0)::text`
      : undefined
}
