// The newest transactions, which stay as they are until somebody asks for newer ones.

import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { apiQuery } from "../data/api-query"
import { useLive } from "../live/live-context"
import { CompletenessBadge } from "../parts/completeness-badge"
import { DataList } from "../parts/data-list"
import { ErrorNotice } from "../parts/error-notice"
import { FreshRows, useFresh } from "../parts/fresh-rows"
import { Panel } from "../parts/panel"
import { shortTransactionColumns } from "../transactions/transaction-columns"

const shown = 10

export function LatestTransactions(): ReactNode {
  const query = apiQuery(useChain(), "/transactions", { limit: shown })
  const { data, error, refetch, dataUpdatedAt } = useQuery(query)
  const fresh = useFresh(useLive().transactions, dataUpdatedAt)
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  return (
    <Panel
      title="Transactions"
      side={
        <>
          <FreshRows count={fresh} name="transactions" onShow={() => void refetch()} />
          <CompletenessBadge meta={data?.meta} />
        </>
      }
    >
      <DataList
        label="Newest transactions"
        columns={shortTransactionColumns}
        rows={data?.data}
        awaited={shown}
        keyOf={(row) => row.transaction_hash}
        heightOf={(row) => row.block_height}
        meta={data?.meta}
        empty="There are no transactions yet."
      />
    </Panel>
  )
}
