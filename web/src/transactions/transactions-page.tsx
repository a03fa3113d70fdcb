// All transactions, newest first.

import { useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { BlockLink } from "../blocks/block-columns"
import { ApiList } from "../lists/api-list"
import { Page } from "../shell/page"
import { transactionColumns } from "./transaction-columns"

type Row = Parameters<(typeof transactionColumns)[number]["cell"]>[0]

const columns = [
  ...transactionColumns.slice(0, 2),
  { name: "Block", cell: (row: Row) => <BlockLink height={row.block_height} /> },
  ...transactionColumns.slice(2),
]

export function TransactionsPage(): ReactNode {
  const { cursor } = useSearch({ from: "/$chain/transactions" })
  return (
    <Page title="Transactions" sub="In the order of the chain, the newest first.">
      <ApiList
        title={cursor === undefined ? "Newest" : "Older"}
        path="/transactions"
        args={{}}
        cursor={cursor}
        fresh="transactions"
        columns={columns}
        keyOf={(row) => row.transaction_hash}
        heightOf={(row) => row.block_height}
        empty="There are no transactions yet."
      />
    </Page>
  )
}
