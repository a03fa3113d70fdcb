// One token: its sums, who holds it, how it moves.

import { useQuery } from "@tanstack/react-query"
import { useParams, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { apiQuery } from "../data/api-query"
import { faultOf, isMissing } from "../data/fault-of"
import { ApiList } from "../lists/api-list"
import { Absent } from "../parts/absent"
import { Address } from "../parts/address"
import { Amount } from "../parts/amount"
import { CompletenessBadge } from "../parts/completeness-badge"
import { ErrorNotice } from "../parts/error-notice"
import { AwaitedFacts, Facts } from "../parts/facts"
import { formatNumber } from "../parts/format-number"
import { Panel } from "../parts/panel"
import { plainText } from "../parts/plain-text"
import { Tabs } from "../parts/tabs"
import { Page } from "../shell/page"
import { HolderList } from "./holder-list"
import { Lifetime } from "./lifetime"
import { ftColumns, heightOfTransfer, keyOfFt } from "./transfer-columns"

const tabs = [
  { id: "holders", name: "Holders" },
  { id: "transfers", name: "Transfers" },
]

export function TokenPage(): ReactNode {
  const chain = useChain()
  const { contract } = useParams({ from: "/$chain/tokens/$contract" })
  const { tab = "holders", cursor } = useSearch({ from: "/$chain/tokens/$contract" })
  const query = useQuery({
    ...apiQuery(chain, "/tokens/{contract}", { contract }),
    meta: { live: true },
  })
  const { data, refetch } = query
  const error = faultOf(query)
  const token = data?.data
  const isAbsent = isMissing(error)
  const name = plainText(token?.name ?? token?.symbol ?? "") || "Token"
  const supply = token && String(BigInt(token.minted) - BigInt(token.burned))
  const symbol = token?.symbol ?? null
  return (
    <Page title={name} heading={<bdi>{name}</bdi>} sub={<Address address={contract} whole />}>
      {isAbsent && <Absent kind="token" error={error} />}
      {error && !isAbsent && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && (
        <>
          <Panel title="Overview" side={<CompletenessBadge meta={data?.meta} />}>
            {token && supply ? (
              <Facts
                facts={[
                  { name: "Symbol", value: symbol && <bdi>{plainText(symbol)}</bdi> },
                  {
                    name: "Minted less burned",
                    value: <Amount units={supply} decimals={token.decimals} symbol={symbol} />,
                  },
                  { name: "Holders", value: formatNumber(token.holder_count) },
                  { name: "Transfers", value: formatNumber(token.transfer_count) },
                  {
                    name: "Decimals",
                    value: token.decimals ?? <span className="quiet">the contract has not said</span>,
                  },
                  {
                    name: "Seen",
                    value: <Lifetime first={token.first_block_height} last={token.last_block_height} />,
                  },
                ]}
              />
            ) : (
              <AwaitedFacts names={["Symbol", "Minted less burned", "Holders", "Transfers", "Decimals", "Seen"]} />
            )}
          </Panel>
          <Tabs label="Parts of the token" tabs={tabs} shown={tab} />
          {tab === "transfers" ? (
            <ApiList
              title="Transfers"
              path="/tokens/{contract}/transfers"
              args={{ contract }}
              cursor={cursor}
              columns={ftColumns({ ofOne: true })}
              keyOf={keyOfFt}
              heightOf={heightOfTransfer}
              empty="This token has not moved yet."
            />
          ) : (
            <HolderList contract={contract} supply={supply} cursor={cursor} />
          )}
        </>
      )}
    </Page>
  )
}
