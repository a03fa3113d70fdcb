// The columns of a transaction in lists. Inputs above 8 KiB are not in the derived table: `/transactions/{hash}` has them.

import type { ResourceColumn } from "../../../queries/resource.js"
import { bytesOrNull, integer, integerOrNull, numberOrNull, timestamp } from "../../../queries/value-schemas.js"
import { placeColumns } from "./chain-columns.js"

export const transactionColumns: Readonly<Record<string, ResourceColumn>> = {
  ...placeColumns,
  timestamp: timestamp("t.timestamp"),
  type: integerOrNull("t.type"),
  status: integerOrNull("t.status"),
  from_address: bytesOrNull("t.from_address"),
  to_address: bytesOrNull("t.to_address"),
  contract_address: bytesOrNull("t.contract_address"),
  nonce: numberOrNull("t.nonce"),
  value: numberOrNull("t.value"),
  gas_limit: numberOrNull("t.gas_limit"),
  gas_used: numberOrNull("t.gas_used"),
  gas_price: numberOrNull("t.gas_price"),
  effective_gas_price: numberOrNull("t.effective_gas_price"),
  method_id: bytesOrNull("t.method_id"),
  event_count: integer("t.event_count"),
}
