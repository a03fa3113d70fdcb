// The transactions of one block, asked for by its hash: they are those of the block that is shown, whatever happens to the
// chain meanwhile.

import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { pageQuery } from "../data/api-query"
import { isMissing } from "../data/fault-of"
import { CompletenessBadge } from "../parts/completeness-badge"
import { DataList } from "../parts/data-list"
import { ErrorNotice } from "../parts/error-notice"
import { Pager } from "../parts/pager"
import { Panel } from "../parts/panel"
import { transactionColumns } from "../transactions/transaction-columns"

interface BlockTransactionsProps {
  readonly block: string | undefined
  readonly count: number | undefined
  readonly cursor: string | undefined
}

const columns = transactionColumns.filter(({ name }) => name !== "Age")

export function BlockTransactions({ block, count, cursor }: BlockTransactionsProps): ReactNode {
  const query = pageQuery(useChain(), "/blocks/{block}/transactions", { block: block ?? "", cursor })
  const { data, error, refetch } = useQuery({ ...query, enabled: block !== undefined })
  const isAbsent = isMissing(error)
  if (error && !isAbsent) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  return (
    <Panel title="Transactions" side={<CompletenessBadge meta={data?.meta} />}>
      <DataList
        label="Transactions"
        columns={columns}
        rows={data?.data ?? (isAbsent ? [] : undefined)}
        awaited={Math.min(25, count ?? 10)}
        keyOf={(row) => row.transaction_hash}
        empty={count === 0 ? "This block has no transactions." : "The transactions of this block are not indexed yet."}
      />
      <Pager cursor={cursor} next={data?.meta.next_cursor} first="First" older="More" />
    </Panel>
  )
}
