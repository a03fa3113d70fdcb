// One transaction: what happened, in sentences first, then in all detail.

import { useQuery } from "@tanstack/react-query"
import { useParams, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { TidemarkError } from "tidemark/client"
import { useChain } from "../app/chain-context"
import { apiQuery } from "../data/api-query"
import { Absent } from "../parts/absent"
import { CompletenessBadge } from "../parts/completeness-badge"
import { ErrorNotice } from "../parts/error-notice"
import { AwaitedFacts } from "../parts/facts"
import { Hash } from "../parts/hash"
import { Panel } from "../parts/panel"
import { Tabs } from "../parts/tabs"
import { Page } from "../shell/page"
import { CallPanel } from "./call-panel"
import { EventList } from "./event-list"
import { InputPanel } from "./input-panel"
import { TransactionFacts, transactionFactNames } from "./transaction-facts"
import { TransactionStory } from "./transaction-story"

const tabs = [
  { id: "overview", name: "Overview" },
  { id: "events", name: "Events" },
  { id: "input", name: "Input" },
]

export function TransactionPage(): ReactNode {
  const chain = useChain()
  const { hash } = useParams({ from: "/$chain/transactions/$hash" })
  const { tab = "overview", cursor } = useSearch({ from: "/$chain/transactions/$hash" })
  const { data, error, refetch } = useQuery(apiQuery(chain, "/transactions/{hash}", { hash }))
  const found = data?.data
  const isAbsent = error instanceof TidemarkError && error.status === 404
  return (
    <Page title="Transaction" sub={<Hash value={hash} name="transaction hash" whole />}>
      {isAbsent && <Absent kind="transaction" error={error} />}
      {error && !isAbsent && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && (
        <>
          <Tabs label="Parts of the transaction" tabs={tabs} shown={tab} />
          {tab === "overview" && (
            <>
              <TransactionStory transaction={found} hash={hash} />
              {found && <CallPanel transaction={found} />}
              <Panel title="Details" side={<CompletenessBadge meta={data?.meta} />}>
                {found ? <TransactionFacts transaction={found} /> : <AwaitedFacts names={transactionFactNames} />}
              </Panel>
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
        </>
      )}
    </Page>
  )
}
