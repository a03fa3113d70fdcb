// All blocks, newest first.

import { useQuery } from "@tanstack/react-query"
import { useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { pageQuery } from "../data/api-query"
import { useLive } from "../live/live-context"
import { CompletenessBadge } from "../parts/completeness-badge"
import { DataList } from "../parts/data-list"
import { ErrorNotice } from "../parts/error-notice"
import { formatNumber } from "../parts/format-number"
import { FreshRows, useFresh } from "../parts/fresh-rows"
import { Pager } from "../parts/pager"
import { Panel } from "../parts/panel"
import { Page } from "../shell/page"
import { blockColumns } from "./block-columns"

export function BlocksPage(): ReactNode {
  const chain = useChain()
  const { cursor } = useSearch({ from: "/$chain/blocks" })
  const { data, error, refetch, dataUpdatedAt } = useQuery(pageQuery(chain, "/blocks", { cursor }))
  const fresh = useFresh(useLive().blocks, dataUpdatedAt)
  const total = data?.meta.total
  return (
    <Page title="Blocks" sub={total === undefined ? "\u00a0" : `${formatNumber(total)} are stored.`}>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Panel
        title={cursor === undefined ? "Newest" : "Older"}
        side={
          <>
            {cursor === undefined && <FreshRows count={fresh} name="blocks" onShow={() => void refetch()} />}
            <CompletenessBadge meta={data?.meta} />
          </>
        }
      >
        <DataList
          label="Blocks"
          columns={blockColumns}
          rows={data?.data}
          keyOf={({ hash }) => hash}
          heightOf={({ height }) => height}
          meta={data?.meta}
          empty="No block is stored yet. The first appears here within seconds of the start."
        />
        <Pager cursor={cursor} next={data?.meta.next_cursor} />
      </Panel>
    </Page>
  )
}
