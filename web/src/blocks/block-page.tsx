// One block with its transactions and events.

import { useQuery } from "@tanstack/react-query"
import { useParams, useSearch } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { useChain } from "../app/chain-context"
import { apiQuery } from "../data/api-query"
import { isMissing } from "../data/fault-of"
import { useAsRead } from "../live/use-as-read"
import { Absent } from "../parts/absent"
import { CompletenessBadge } from "../parts/completeness-badge"
import { ErrorNotice } from "../parts/error-notice"
import { AwaitedFacts } from "../parts/facts"
import { formatNumber } from "../parts/format-number"
import { Notice } from "../parts/notice"
import { Panel } from "../parts/panel"
import { MarkedHeading, RolledBack } from "../parts/rolled-back"
import { Tabs } from "../parts/tabs"
import { Page } from "../shell/page"
import { EventList } from "../transactions/event-list"
import { BlockFacts, blockFactNames } from "./block-facts"
import { BlockSteps } from "./block-steps"
import { BlockTransactions } from "./block-transactions"

const isHeight = (block: string): boolean => /^\d+$/.test(block)

export function BlockPage(): ReactNode {
  const { block } = useParams({ from: "/$chain/blocks/$block" })
  return <OneBlock key={block} block={block} />
}

function OneBlock({ block }: { readonly block: string }): ReactNode {
  const { tab = "transactions", cursor } = useSearch({ from: "/$chain/blocks/$block" })
  const { data, error, refetch } = useQuery(apiQuery(useChain(), "/blocks/{block}", { block }))
  const isAbsent = isMissing(error)
  const { shown, other, showOther } = useAsRead(data, (answer) => answer.data.hash)
  const found = shown?.data
  const isGone = found !== undefined && (isAbsent || other !== undefined)
  const height = found?.height ?? (isHeight(block) ? block : undefined)
  const title = height === undefined ? "Block" : `Block ${formatNumber(height)}`
  return (
    <Page
      title={title}
      heading={<MarkedHeading title={title} isGone={isGone} />}
      sub={
        height !== undefined && (
          <BlockSteps height={height}>
            {isGone && (
              <RolledBack
                now={other && { words: `Show the block that is at ${formatNumber(height)} now`, onShow: showOther }}
              />
            )}
          </BlockSteps>
        )
      }
    >
      {isAbsent && !found && <Absent kind="block" error={error} {...(isHeight(block) ? { height: block } : {})} />}
      {error && !isAbsent && !found && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {(found || !error) && (
        <>
          <Panel title="Overview" side={<CompletenessBadge meta={shown?.meta} />}>
            {found ? <BlockFacts block={found} /> : <AwaitedFacts names={blockFactNames} />}
          </Panel>
          <Tabs
            label="Parts of the block"
            tabs={[
              { id: "transactions", name: "Transactions", count: found?.transaction_count ?? null },
              { id: "events", name: "Events", count: found?.event_count ?? null },
            ]}
            shown={tab}
          />
          {tab === "events" ? (
            height !== undefined && <BlockEvents height={height} cursor={cursor} isGone={isGone} />
          ) : (
            <BlockTransactions block={found?.hash} count={found?.transaction_count} cursor={cursor} />
          )}
        </>
      )}
    </Page>
  )
}

interface BlockEventsProps {
  readonly height: string
  readonly cursor: string | undefined
  readonly isGone: boolean
}

/** Events are found by height: of a block that is gone only those are its own that were read before. */
function BlockEvents({ height, cursor, isGone }: BlockEventsProps): ReactNode {
  const [wasGone] = useState(isGone)
  if (wasGone) return <Notice title="The events of this block were removed with it" />
  const args = { from_height: height, to_height: String(BigInt(height) + 1n), order: "asc" }
  return <EventList title="Events" path="/events" args={args} cursor={cursor} />
}
