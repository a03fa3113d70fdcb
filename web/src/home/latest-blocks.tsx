// The newest blocks, which stay as they are until somebody asks for newer ones.

import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { shortBlockColumns } from "../blocks/block-columns"
import { apiQuery } from "../data/api-query"
import { useLive } from "../live/live-context"
import { CompletenessBadge } from "../parts/completeness-badge"
import { DataList } from "../parts/data-list"
import { ErrorNotice } from "../parts/error-notice"
import { FreshRows, useFresh } from "../parts/fresh-rows"
import { Panel } from "../parts/panel"

const shown = 10

export function LatestBlocks(): ReactNode {
  const query = apiQuery(useChain(), "/blocks", { limit: shown })
  const { data, error, refetch, dataUpdatedAt } = useQuery(query)
  const fresh = useFresh(useLive().blocks, dataUpdatedAt)
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  return (
    <Panel
      title="Blocks"
      side={
        <>
          <FreshRows count={fresh} name="blocks" onShow={() => void refetch()} />
          <CompletenessBadge meta={data?.meta} />
        </>
      }
    >
      <DataList
        label="Newest blocks"
        columns={shortBlockColumns}
        rows={data?.data}
        awaited={shown}
        keyOf={({ hash }) => hash}
        heightOf={({ height }) => height}
        meta={data?.meta}
        empty="No block is stored yet."
      />
    </Panel>
  )
}
