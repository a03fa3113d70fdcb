// One account: what it did, what it holds, and what it is when it is a contract.

import { useQuery } from "@tanstack/react-query"
import { useParams, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { apiQuery } from "../data/api-query"
import { faultOf, isMissing } from "../data/fault-of"
import { Absent } from "../parts/absent"
import { AddressMark } from "../parts/address-mark"
import { CompletenessBadge } from "../parts/completeness-badge"
import { ErrorNotice } from "../parts/error-notice"
import { AwaitedFacts } from "../parts/facts"
import { Hash } from "../parts/hash"
import { Panel } from "../parts/panel"
import { Tabs } from "../parts/tabs"
import { Page } from "../shell/page"
import { AccountFacts, accountFactNames } from "./account-facts"
import { AccountHeading } from "./account-heading"
import { AccountList } from "./account-list"
import { ContractPanel } from "./contract-panel"

const tabs = [
  { id: "transactions", name: "Transactions" },
  { id: "holdings", name: "Holdings" },
  { id: "transfers", name: "Transfers" },
  { id: "nfts", name: "NFTs" },
  { id: "nft-transfers", name: "NFT transfers" },
]
const ofContracts = [
  { id: "contract", name: "Contract" },
  { id: "events", name: "Events" },
]

export function AccountPage(): ReactNode {
  const chain = useChain()
  const { address } = useParams({ from: "/$chain/accounts/$address" })
  const { tab = "transactions", cursor } = useSearch({ from: "/$chain/accounts/$address" })
  const query = useQuery({
    ...apiQuery(chain, "/accounts/{address}", { address }),
    meta: { live: true },
  })
  const { data, refetch } = query
  const error = faultOf(query)
  const contract = useQuery(apiQuery(chain, "/contracts/{address}", { address }))
  const isContract = contract.data !== undefined
  // Whether it is a token or a collection as well.
  const known = useQuery(apiQuery(chain, "/search", { q: address }))
  const isAbsent = isMissing(error)
  const title = isContract ? "Contract" : "Account"
  return (
    <Page
      title={title}
      heading={<AccountHeading title={title} known={known.data?.data ?? []} />}
      sub={<Hash value={address} name="address" whole mark={<AddressMark address={address} />} />}
    >
      {isAbsent && !isContract && <Absent kind="account" error={error} />}
      {error && !isAbsent && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!isAbsent && !error && (
        <Panel title="Overview" side={<CompletenessBadge meta={data?.meta} />}>
          {data ? <AccountFacts account={data.data} /> : <AwaitedFacts names={accountFactNames} />}
        </Panel>
      )}
      {(!error || isContract || isAbsent) && (
        <>
          <Tabs label="Parts of the account" tabs={isContract ? [...tabs, ...ofContracts] : tabs} shown={tab} />
          {tab === "contract" ? (
            contract.data && <ContractPanel contract={contract.data.data} meta={contract.data.meta} />
          ) : (
            <AccountList address={address} tab={tab} cursor={cursor} />
          )}
        </>
      )}
    </Page>
  )
}
