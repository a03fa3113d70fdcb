// The newest transactions, which stay as they are until somebody asks for newer ones.

import type { ReactNode } from "react"
import { ApiList } from "../lists/api-list"
import { shortTransactionColumns } from "../transactions/transaction-columns"
import { latestShown } from "./latest-shown"

export const LatestTransactions = (): ReactNode => (
  <ApiList
    title="Transactions"
    path="/transactions"
    args={{ limit: latestShown }}
    awaited={latestShown}
    fresh="transactions"
    columns={shortTransactionColumns}
    keyOf={(row) => row.transaction_hash}
    heightOf={(row) => row.block_height}
    empty="There are no transactions yet."
  />
)
