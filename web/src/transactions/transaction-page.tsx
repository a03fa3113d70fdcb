// One transaction: what happened, in sentences first, then in all detail.

import { useQuery } from "@tanstack/react-query"
import { useParams, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { apiQuery } from "../data/api-query"
import { isMissing } from "../data/fault-of"
import { useAsRead } from "../live/use-as-read"
import { Absent } from "../parts/absent"
import { CompletenessBadge } from "../parts/completeness-badge"
import { ErrorNotice } from "../parts/error-notice"
import { formatNumber } from "../parts/format-number"
import { Hash } from "../parts/hash"
import { Panel } from "../parts/panel"
import { MarkedHeading, RolledBack } from "../parts/rolled-back"
import { Tabs } from "../parts/tabs"
import { Page } from "../shell/page"
import { CallPanel } from "./call-panel"
import { EventList } from "./event-list"
import { InputPanel } from "./input-panel"
import { RawPanel } from "./raw-panel"
import { TransactionFacts } from "./transaction-facts"
import { TransactionStory } from "./transaction-story"
import { useStory } from "./use-story"

export function TransactionPage(): ReactNode {
  const { hash } = useParams({ from: "/$chain/transactions/$hash" })
  return <OneTransaction key={hash} hash={hash} />
}

function OneTransaction({ hash }: { readonly hash: string }): ReactNode {
  const { tab = "overview", cursor } = useSearch({ from: "/$chain/transactions/$hash" })
  const { data, error, refetch } = useQuery(apiQuery(useChain(), "/transactions/{hash}", { hash }))
  const story = useStory(hash)
  const isAbsent = isMissing(error)
  const { shown, other, showOther } = useAsRead(data, ({ data: one }) => `${one.block_hash}.${one.transaction_index}`)
  const found = shown?.data
  const isGone = found !== undefined && (isAbsent || other !== undefined)
  const height = other?.data.block_height
  const onShow = (): void => {
    showOther()
    story.readAgain()
  }
  return (
    <Page
      title="Transaction"
      heading={<MarkedHeading title="Transaction" isGone={isGone} />}
      sub={
        <>
          <Hash value={hash} name="transaction hash" whole />{" "}
          {isGone && (
            <RolledBack now={height ? { words: `Show it in block ${formatNumber(height)}`, onShow } : undefined} />
          )}
        </>
      }
    >
      {isAbsent && !found && <Absent kind="transaction" error={error} />}
      {error && !isAbsent && !found && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {(found || !error) && (
        <>
          <Tabs
            label="Parts of the transaction"
            tabs={[
              { id: "overview", name: "Overview" },
              { id: "events", name: "Events", count: found?.event_count ?? null },
              { id: "input", name: "Input" },
              { id: "raw", name: "Raw" },
            ]}
            shown={tab}
          />
          {tab === "overview" && (
            <>
              <TransactionStory transaction={found} story={story} />
              {/* Below what is as high as its sentences: drawn when these are known, so that nothing moves. */}
              {found && !story.isAwaited && (
                <>
                  <CallPanel transaction={found} />
                  <Panel title="Details" side={<CompletenessBadge meta={shown?.meta} />}>
                    <TransactionFacts transaction={found} />
                  </Panel>
                </>
              )}
            </>
          )}
          {tab === "events" && (
            <EventList
              path="/transactions/{hash}/events"
              args={{ hash, order: "asc" }}
              cursor={cursor}
              title="Events"
            />
          )}
          {tab === "input" && <InputPanel transaction={found} />}
          {tab === "raw" && <RawPanel hash={hash} />}
        </>
      )}
    </Page>
  )
}
