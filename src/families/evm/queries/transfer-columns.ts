// The columns of transfers, with the token's decimals and symbol beside the exact integer.

import type { KeyColumn, ResourceColumn } from "../../../queries/resource.js"
import {
  bytes,
  bytesOrNull,
  integer,
  integerOrNull,
  number,
  text,
  textOrNull,
} from "../../../queries/value-schemas.js"
import { eventKey, eventPlaceColumns } from "./chain-columns.js"

const metadata = "left join app.token_metadata m on m.contract_address = t.contract_address"
export const ftTable = `app.ft_transfers t ${metadata}`
export const nftTable = `app.nft_transfers t ${metadata}`

export const ftColumns: Readonly<Record<string, ResourceColumn>> = {
  ...eventPlaceColumns,
  contract_address: bytes("t.contract_address"),
  from_address: bytes("t.from_address"),
  to_address: bytes("t.to_address"),
  amount: number("t.amount"),
  decimals: integerOrNull("m.decimals"),
  symbol: textOrNull("m.symbol"),
  kind: text("t.kind"),
}

export const nftColumns: Readonly<Record<string, ResourceColumn>> = {
  ...eventPlaceColumns,
  batch_index: integer("t.batch_index"),
  contract_address: bytes("t.contract_address"),
  standard: text("t.standard"),
  operator: bytesOrNull("t.operator"),
  from_address: bytes("t.from_address"),
  to_address: bytes("t.to_address"),
  token_id: number("t.token_id"),
  amount: number("t.amount"),
  symbol: textOrNull("m.symbol"),
  kind: text("t.kind"),
}

export const nftKey: readonly KeyColumn[] = [...eventKey, { column: "t.batch_index", type: "int4" }]
