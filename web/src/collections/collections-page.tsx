// All collections of NFTs, those with the most items first.

import { useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { RowOf } from "../data/api-query"
import { ApiList } from "../lists/api-list"
import { Address } from "../parts/address"
import type { Column } from "../parts/data-list"
import { formatNumber } from "../parts/format-number"
import { Tabs } from "../parts/tabs"
import { TokenName } from "../parts/token-name"
import { Page } from "../shell/page"

type CollectionRow = RowOf<"/collections">

const columns: readonly Column<CollectionRow>[] = [
  {
    name: "Collection",
    lead: true,
    cell: (row) => (
      <TokenName contract={row.contract_address} name={row.name} symbol={row.symbol} kind="collections" />
    ),
  },
  { name: "Contract", cell: (row) => <Address address={row.contract_address} />, wide: true },
  { name: "Items", end: true, cell: (row) => formatNumber(row.item_count) },
  { name: "Transfers", end: true, cell: (row) => formatNumber(row.transfer_count) },
  { name: "ERC-721", end: true, cell: (row) => formatNumber(row.erc721_transfers) },
  { name: "ERC-1155", end: true, cell: (row) => formatNumber(row.erc1155_transfers) },
]

const tabs = [
  { id: "items", name: "By items" },
  { id: "transfers", name: "By transfers" },
]

export function CollectionsPage(): ReactNode {
  const { cursor, tab } = useSearch({ from: "/$chain/collections" })
  const sort = tab === "items" || tab === undefined ? "items" : "transfers"
  return (
    <Page title="Collections" sub="NFTs of ERC-721 and ERC-1155, by what their contracts did.">
      <Tabs label="Order" tabs={tabs} shown={sort} />
      <ApiList
        title="Collections"
        path="/collections"
        args={{ sort }}
        cursor={cursor}
        columns={columns}
        keyOf={(row) => row.contract_address}
        empty={sort === "items" ? "No collection has ERC-721 items yet." : "No NFT has moved on this chain yet."}
        first="First"
        older="More"
      />
    </Page>
  )
}
