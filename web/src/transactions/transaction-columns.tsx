// How a transaction looks in a list.

import type { ReactNode } from "react"
import type { RowOf } from "../data/api-query"
import { useNativeCoin } from "../data/native-coin"
import { Address } from "../parts/address"
import { Amount } from "../parts/amount"
import type { Column } from "../parts/data-list"
import { Time } from "../parts/time"
import { TransactionHash } from "../parts/transaction-hash"
import { TransactionKind } from "./transaction-kind"

type TransactionRow = RowOf<"/transactions">

function Value({ units }: { readonly units: string | null }): ReactNode {
  const coin = useNativeCoin()
  if (units === null) return "–"
  if (units === "0") return <span className="quiet">0</span>
  return <Amount units={units} decimals={18} symbol={coin} aligned />
}

export const transactionColumns: readonly Column<TransactionRow>[] = [
  { name: "Transaction", lead: true, cell: (row) => <TransactionHash hash={row.transaction_hash} /> },
  { name: "Kind", cell: (row) => <TransactionKind row={row} /> },
  { name: "Age", cell: ({ timestamp }) => <Time at={timestamp} /> },
  {
    name: "From",
    line: "beside",
    cell: ({ from_address: from }) => (from === null ? "–" : <Address address={from} />),
  },
  {
    name: "To",
    line: "beside",
    cell: ({ to_address: to, contract_address: made }) => {
      const address = to ?? made
      return address === null ? "–" : <Address address={address} />
    },
  },
  { name: "Value", end: true, line: "beside", cell: ({ value }) => <Value units={value} /> },
]

export const shortTransactionColumns = transactionColumns.filter(({ name }) =>
  ["Transaction", "Kind", "To", "Value"].includes(name),
)
