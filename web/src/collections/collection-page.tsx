// One collection: its sums, its items, how they move.

import { useQuery } from "@tanstack/react-query"
import { useParams, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { apiQuery } from "../data/api-query"
import { faultOf, isMissing } from "../data/fault-of"
import { ApiList } from "../lists/api-list"
import { Absent } from "../parts/absent"
import { Address } from "../parts/address"
import { CompletenessBadge } from "../parts/completeness-badge"
import { ErrorNotice } from "../parts/error-notice"
import { AwaitedFacts, Facts } from "../parts/facts"
import { formatNumber } from "../parts/format-number"
import { Panel } from "../parts/panel"
import { plainText } from "../parts/plain-text"
import { Tabs } from "../parts/tabs"
import { Page } from "../shell/page"
import { Lifetime } from "../tokens/lifetime"
import { heightOfTransfer, keyOfNft, nftColumns } from "../tokens/transfer-columns"
import { ItemList } from "./item-list"

const tabs = [
  { id: "items", name: "Items" },
  { id: "transfers", name: "Transfers" },
]

export function CollectionPage(): ReactNode {
  const chain = useChain()
  const { contract } = useParams({ from: "/$chain/collections/$contract" })
  const { tab = "items", cursor } = useSearch({ from: "/$chain/collections/$contract" })
  const query = useQuery(apiQuery(chain, "/collections/{contract}", { contract }))
  const { data, refetch } = query
  const error = faultOf(query)
  const found = data?.data
  const isAbsent = isMissing(error)
  const name = plainText(found?.name ?? found?.symbol ?? "") || "Collection"
  return (
    <Page title={name} heading={<bdi>{name}</bdi>} sub={<Address address={contract} whole />}>
      {isAbsent && <Absent kind="collection" error={error} />}
      {error && !isAbsent && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && (
        <>
          <Panel title="Overview" side={<CompletenessBadge meta={data?.meta} />}>
            {found ? (
              <Facts
                facts={[
                  { name: "Symbol", value: found.symbol && <bdi>{plainText(found.symbol)}</bdi> },
                  { name: "ERC-721 items", value: formatNumber(found.item_count) },
                  { name: "Transfers", value: formatNumber(found.transfer_count) },
                  {
                    name: "Minted and burned",
                    value: `${formatNumber(found.minted)} and ${formatNumber(found.burned)}`,
                  },
                  {
                    name: "Seen",
                    value: <Lifetime first={found.first_block_height} last={found.last_block_height} />,
                  },
                ]}
              />
            ) : (
              <AwaitedFacts names={["Symbol", "ERC-721 items", "Transfers", "Minted and burned", "Seen"]} />
            )}
          </Panel>
          <Tabs label="Parts of the collection" tabs={tabs} shown={tab} />
          {tab === "transfers" ? (
            <ApiList
              title="Transfers"
              path="/collections/{contract}/transfers"
              args={{ contract }}
              cursor={cursor}
              columns={nftColumns({ ofOne: true })}
              keyOf={keyOfNft}
              heightOf={heightOfTransfer}
              empty="Nothing of this collection has moved yet."
            />
          ) : (
            <ItemList contract={contract} cursor={cursor} />
          )}
        </>
      )}
    </Page>
  )
}
