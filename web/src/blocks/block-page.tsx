// One block with its transactions.

import { useQuery } from "@tanstack/react-query"
import { useParams, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { TidemarkError } from "tidemark/client"
import { useChain } from "../app/chain-context"
import { apiQuery, pageQuery } from "../data/api-query"
import { Absent } from "../parts/absent"
import { CompletenessBadge } from "../parts/completeness-badge"
import { DataList } from "../parts/data-list"
import { ErrorNotice } from "../parts/error-notice"
import { AwaitedFacts } from "../parts/facts"
import { formatNumber } from "../parts/format-number"
import { Pager } from "../parts/pager"
import { Panel } from "../parts/panel"
import { Page } from "../shell/page"
import { transactionColumns } from "../transactions/transaction-columns"
import { BlockFacts, blockFactNames } from "./block-facts"
import { BlockSteps } from "./block-steps"

const isHeight = (block: string): boolean => /^\d+$/.test(block)

export function BlockPage(): ReactNode {
  const chain = useChain()
  const { block } = useParams({ from: "/$chain/blocks/$block" })
  const { data, error, refetch } = useQuery(apiQuery(chain, "/blocks/{block}", { block }))
  const found = data?.data
  const height = found?.height ?? (isHeight(block) ? block : undefined)
  const title = height === undefined ? "Block" : `Block ${formatNumber(height)}`
  const isAbsent = error instanceof TidemarkError && error.status === 404
  return (
    <Page title={title} sub={height !== undefined && <BlockSteps height={height} />}>
      {isAbsent && <Absent kind="block" error={error} {...(isHeight(block) ? { height: block } : {})} />}
      {error && !isAbsent && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && (
        <>
          <Panel title="Overview" side={<CompletenessBadge meta={data?.meta} />}>
            {found ? <BlockFacts block={found} /> : <AwaitedFacts names={blockFactNames} />}
          </Panel>
          <BlockTransactions block={found?.hash} count={found?.transaction_count} />
        </>
      )}
    </Page>
  )
}

/** Asked for by hash, so that they are those of the block above, whatever happens to the chain meanwhile. */
function BlockTransactions({ block, count }: { block: string | undefined; count: number | undefined }): ReactNode {
  const chain = useChain()
  const { cursor } = useSearch({ from: "/$chain/blocks/$block" })
  const query = pageQuery(chain, "/blocks/{block}/transactions", { block: block ?? "", cursor })
  const { data, error, refetch } = useQuery({ ...query, enabled: block !== undefined })
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  return (
    <Panel
      title="Transactions"
      quiet={count === undefined ? undefined : formatNumber(count)}
      side={<CompletenessBadge meta={data?.meta} />}
    >
      <DataList
        label="Transactions"
        columns={transactionColumns}
        rows={data?.data}
        awaited={Math.min(25, count ?? 10)}
        keyOf={(row) => row.transaction_hash}
        empty={count === 0 ? "This block has no transactions." : "The transactions of this block are not indexed yet."}
      />
      <Pager cursor={cursor} next={data?.meta.next_cursor} first="First" older="More" />
    </Panel>
  )
}
