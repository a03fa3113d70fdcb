// The items of a collection with their owners.

import type { ReactNode } from "react"
import { BlockLink } from "../blocks/block-columns"
import type { RowOf } from "../data/api-query"
import { ApiList } from "../lists/api-list"
import { Address } from "../parts/address"
import type { Column } from "../parts/data-list"
import { formatNumber } from "../parts/format-number"
import { TokenId } from "../tokens/token-id"

type ItemRow = RowOf<"/collections/{contract}/items">

interface ItemListProps {
  readonly contract: string
  readonly cursor: string | undefined
}

export function ItemList({ contract, cursor }: ItemListProps): ReactNode {
  const columns: readonly Column<ItemRow>[] = [
    { name: "Item", lead: true, cell: (row) => <TokenId contract={contract} id={row.token_id} standard="erc721" /> },
    {
      name: "Owner",
      line: "beside",
      cell: ({ owner }) => (owner === null ? <span className="quiet">burned</span> : <Address address={owner} />),
    },
    { name: "Transfers", end: true, cell: (row) => formatNumber(row.transfer_count) },
    {
      name: "Last moved",
      end: true,
      cell: ({ last_block_height: last }) => (last === null ? "–" : <BlockLink height={last} />),
    },
  ]
  return (
    <ApiList
      title="Items"
      path="/collections/{contract}/items"
      args={{ contract }}
      cursor={cursor}
      columns={columns}
      keyOf={(row) => row.token_id}
      empty="This collection has no ERC-721 items. Amounts of ERC-1155 tokens are on the pages of their owners."
      first="First"
      older="More"
    />
  )
}
