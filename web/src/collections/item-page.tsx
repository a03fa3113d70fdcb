// One ERC-721 item with its owner, and what the document of its tokenURI says where the server fetches it.

import { useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { apiQuery } from "../data/api-query"
import { faultOf, isMissing } from "../data/fault-of"
import { Absent } from "../parts/absent"
import { Address } from "../parts/address"
import { CompletenessBadge } from "../parts/completeness-badge"
import { ErrorNotice } from "../parts/error-notice"
import { AwaitedFacts, Facts } from "../parts/facts"
import { formatNumber } from "../parts/format-number"
import { Panel } from "../parts/panel"
import { plainText } from "../parts/plain-text"
import { TokenName } from "../parts/token-name"
import { Page } from "../shell/page"
import { Lifetime } from "../tokens/lifetime"
import { ItemMetadataPanel } from "./item-metadata-panel"

export function ItemPage(): ReactNode {
  const chain = useChain()
  const { contract, item } = useParams({ from: "/$chain/collections/$contract/$item" })
  const query = useQuery({
    ...apiQuery(chain, "/collections/{contract}/items/{item}", { contract, item }),
    meta: { live: true },
  })
  const { data, refetch } = query
  const error = faultOf(query)
  const { data: collection } = useQuery(apiQuery(chain, "/collections/{contract}", { contract }))
  const found = data?.data
  const isAbsent = isMissing(error)
  const of = collection?.data
  const short = item.length > 24 ? `${item.slice(0, 10)}…${item.slice(-6)}` : item
  const name = `${plainText(of?.name ?? of?.symbol ?? "Item", 40)} #${short}`
  return (
    <Page
      title={name}
      heading={<bdi>{name}</bdi>}
      sub={of && <TokenName contract={contract} name={of.name} symbol={of.symbol} kind="collections" />}
    >
      {isAbsent && <Absent kind="item" error={error} />}
      {error && !isAbsent && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!error && (
        <Panel title="Overview" side={<CompletenessBadge meta={data?.meta} />}>
          {found ? (
            <Facts
              facts={[
                { name: "Number", value: <code>{found.token_id}</code> },
                { name: "Owner", value: found.owner ? <Address address={found.owner} whole /> : "burned" },
                { name: "Transfers", value: formatNumber(found.transfer_count) },
                { name: "Seen", value: <Lifetime first={found.first_block_height} last={found.last_block_height} /> },
              ]}
            />
          ) : (
            <AwaitedFacts names={["Number", "Owner", "Transfers", "Seen"]} />
          )}
        </Panel>
      )}
      {found && <ItemMetadataPanel contract={contract} item={item} />}
    </Page>
  )
}
