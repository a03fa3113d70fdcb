// How transfers of tokens and of items look in lists.

import type { ReactNode } from "react"
import type { RowOf } from "../data/api-query"
import { Address } from "../parts/address"
import { Amount } from "../parts/amount"
import type { Column } from "../parts/data-list"
import { Tag } from "../parts/tag"
import { Time } from "../parts/time"
import { TokenName } from "../parts/token-name"
import { TransactionHash } from "../parts/transaction-hash"
import { TokenId } from "./token-id"

export type FtRow = RowOf<"/accounts/{address}/ft-transfers">
export type NftRow = RowOf<"/accounts/{address}/nft-transfers">

export const keyOfFt = (row: FtRow): string => `${row.block_height}.${row.event_index}`
export const keyOfNft = (row: NftRow): string => `${row.block_height}.${row.event_index}.${row.batch_index}`
export const heightOfTransfer = (row: { readonly block_height: string }): string => row.block_height

function common<Row extends FtRow | NftRow>(self: string | undefined): readonly Column<Row>[] {
  const side = (address: string): ReactNode => <Address address={address} unlinked={address === self} />
  return [
    { name: "Transaction", lead: true, cell: (row) => <TransactionHash hash={row.transaction_hash} /> },
    { name: "Kind", cell: (row) => <Tag>{directionOf(row, self)}</Tag> },
    { name: "Age", cell: ({ timestamp }) => <Time at={timestamp} /> },
    { name: "From", line: "beside", cell: ({ from_address: from }) => side(from) },
    { name: "To", line: "beside", cell: ({ to_address: to }) => side(to) },
  ]
}

/** From the account's side, where there is one. */
function directionOf({ kind, from_address: from, to_address: to }: FtRow | NftRow, self: string | undefined): string {
  if (self === undefined || kind !== "transfer") return kind
  if (from === to) return "to itself"
  return from === self ? "out" : "in"
}

interface Of {
  /** The account whose list it is. */
  readonly self?: string
  /** The contract is named by the page. */
  readonly ofOne?: boolean
}

export const ftColumns = ({ self, ofOne = false }: Of): readonly Column<FtRow>[] => [
  ...common<FtRow>(self),
  {
    name: "Amount",
    end: true,
    line: "beside",
    cell: (row) => <Amount units={row.amount} decimals={row.decimals} symbol={ofOne ? row.symbol : ""} aligned />,
  },
  ...(ofOne
    ? []
    : [
        {
          name: "Token",
          line: "beside" as const,
          cell: (row: FtRow) => <TokenName contract={row.contract_address} symbol={row.symbol} />,
        },
      ]),
]

export const nftColumns = ({ self, ofOne = false }: Of): readonly Column<NftRow>[] => [
  ...common<NftRow>(self),
  ...(ofOne
    ? []
    : [
        {
          name: "Collection",
          line: "beside" as const,
          cell: (row: NftRow) => <TokenName contract={row.contract_address} symbol={row.symbol} kind="collections" />,
        },
      ]),
  {
    name: "Item",
    cell: (row) => <TokenId contract={row.contract_address} id={row.token_id} standard={row.standard} />,
  },
  { name: "Amount", end: true, cell: (row) => <Amount units={row.amount} decimals={0} /> },
]
