// All tokens, those with the most holders first.

import { useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { RowOf } from "../data/api-query"
import { ApiList } from "../lists/api-list"
import { Address } from "../parts/address"
import { Amount } from "../parts/amount"
import type { Column } from "../parts/data-list"
import { formatNumber } from "../parts/format-number"
import { Tabs } from "../parts/tabs"
import { TokenName } from "../parts/token-name"
import { Page } from "../shell/page"

type TokenRow = RowOf<"/tokens">

const columns: readonly Column<TokenRow>[] = [
  {
    name: "Token",
    lead: true,
    cell: (row) => <TokenName contract={row.contract_address} name={row.name} symbol={row.symbol} />,
  },
  { name: "Contract", cell: (row) => <Address address={row.contract_address} />, wide: true },
  { name: "Holders", end: true, cell: (row) => formatNumber(row.holder_count) },
  { name: "Transfers", end: true, cell: (row) => formatNumber(row.transfer_count) },
  {
    name: "Minted less burned",
    end: true,
    cell: ({ minted, burned, decimals }) => (
      <Amount units={String(BigInt(minted) - BigInt(burned))} decimals={decimals} symbol="" aligned />
    ),
  },
]

const tabs = [
  { id: "holders", name: "By holders" },
  { id: "transfers", name: "By transfers" },
]

export function TokensPage(): ReactNode {
  const { cursor, tab } = useSearch({ from: "/$chain/tokens" })
  const sort = tab === "transfers" ? "transfers" : "holders"
  return (
    <Page title="Tokens" sub="Fungible tokens, by what their contracts did. Names are the contracts' own words.">
      <Tabs label="Order" tabs={tabs} shown={sort} />
      <ApiList
        title="Tokens"
        path="/tokens"
        args={{ sort }}
        cursor={cursor}
        columns={columns}
        keyOf={(row) => row.contract_address}
        empty="No token has moved on this chain yet."
        first="First"
        older="More"
      />
    </Page>
  )
}
