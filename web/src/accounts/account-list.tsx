// The list of an account that its tab names.

import type { ReactNode } from "react"
import type { RowOf } from "../data/api-query"
import { ApiList } from "../lists/api-list"
import { Amount } from "../parts/amount"
import type { Column } from "../parts/data-list"
import { formatNumber } from "../parts/format-number"
import { TokenName } from "../parts/token-name"
import { TokenId } from "../tokens/token-id"
import { ftColumns, heightOfTransfer, keyOfFt, keyOfNft, nftColumns } from "../tokens/transfer-columns"
import { EventList } from "../transactions/event-list"
import { transactionColumns } from "../transactions/transaction-columns"

type HoldingRow = RowOf<"/accounts/{address}/holdings">
type NftRow = RowOf<"/accounts/{address}/nfts">

const holdingColumns: readonly Column<HoldingRow>[] = [
  {
    name: "Token",
    lead: true,
    cell: (row) => <TokenName contract={row.contract_address} name={row.name} symbol={row.symbol} />,
  },
  {
    name: "Balance",
    end: true,
    cell: ({ balance, decimals }) => <Amount units={balance} decimals={decimals} symbol="" aligned />,
  },
  { name: "In", end: true, cell: (row) => formatNumber(row.transfers_in) },
  { name: "Out", end: true, cell: (row) => formatNumber(row.transfers_out) },
]

const nftHoldingColumns: readonly Column<NftRow>[] = [
  {
    name: "Collection",
    lead: true,
    cell: (row) => (
      <TokenName contract={row.contract_address} name={row.name} symbol={row.symbol} kind="collections" />
    ),
  },
  {
    name: "Item",
    cell: (row) => <TokenId contract={row.contract_address} id={row.token_id} standard={row.standard} />,
  },
  { name: "Standard", cell: (row) => row.standard.replace("erc", "ERC-") },
  { name: "Amount", end: true, cell: (row) => <Amount units={row.balance} decimals={0} /> },
]

interface AccountListProps {
  readonly address: string
  readonly tab: string
  readonly cursor: string | undefined
}

export function AccountList({ address, tab, cursor }: AccountListProps): ReactNode {
  const common = { args: { address }, cursor } as const
  switch (tab) {
    case "holdings":
      return (
        <ApiList
          {...common}
          title="Holdings"
          path="/accounts/{address}/holdings"
          columns={holdingColumns}
          keyOf={(row) => row.contract_address}
          empty="It has never held a fungible token."
          first="First"
          older="More"
        />
      )
    case "nfts":
      return (
        <ApiList
          {...common}
          title="NFTs"
          path="/accounts/{address}/nfts"
          columns={nftHoldingColumns}
          keyOf={(row) => `${row.contract_address}.${row.token_id}`}
          empty="It owns no NFT."
          first="First"
          older="More"
        />
      )
    case "transfers":
      return (
        <ApiList
          {...common}
          title="Transfers of tokens"
          path="/accounts/{address}/ft-transfers"
          columns={ftColumns({ self: address })}
          keyOf={keyOfFt}
          heightOf={heightOfTransfer}
          empty="No fungible token has moved from or to it."
        />
      )
    case "nft-transfers":
      return (
        <ApiList
          {...common}
          title="Transfers of NFTs"
          path="/accounts/{address}/nft-transfers"
          columns={nftColumns({ self: address })}
          keyOf={keyOfNft}
          heightOf={heightOfTransfer}
          empty="No NFT has moved from or to it."
        />
      )
    case "events":
      return <EventList title="Events" path="/accounts/{address}/events" args={{ address }} cursor={cursor} />
    default:
      return (
        <ApiList
          {...common}
          title="Transactions"
          path="/accounts/{address}/transactions"
          columns={transactionColumns}
          keyOf={(row) => row.transaction_hash}
          heightOf={heightOfTransfer}
          empty="It has taken part in no transaction."
        />
      )
  }
}
