// What a transaction did, as sentences: the value it carried, and the tokens that moved, in their order.

import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { apiQuery } from "../data/api-query"
import { useNativeCoin } from "../data/native-coin"
import { Address } from "../parts/address"
import { Amount } from "../parts/amount"
import { CompletenessBadge } from "../parts/completeness-badge"
import { Panel } from "../parts/panel"
import { plainText } from "../parts/plain-text"
import { methodName } from "./method-name"
import type { Transaction } from "./transaction-facts"
import styles from "./transaction-story.module.css"
import { FtSentence, NftSentence } from "./transfer-sentence"

const most = 100

interface StoryProps {
  readonly transaction: Transaction | undefined
  readonly hash: string
}

export function TransactionStory({ transaction, hash }: StoryProps): ReactNode {
  const chain = useChain()
  const args = { hash, order: "asc", limit: most } as const
  const ft = useQuery(apiQuery(chain, "/transactions/{hash}/transfers", args))
  const nft = useQuery(apiQuery(chain, "/transactions/{hash}/nft-transfers", args))
  const moves = [
    ...(ft.data?.data ?? []).map((row) => ({ at: row.event_index, part: 0, line: <FtSentence row={row} /> })),
    ...(nft.data?.data ?? []).map((row) => ({
      at: row.event_index,
      part: row.batch_index,
      line: <NftSentence row={row} />,
    })),
  ].sort((one, other) => one.at - other.at || one.part - other.part)
  const isCut = Boolean(ft.data?.meta.next_cursor ?? nft.data?.meta.next_cursor)
  return (
    <Panel title="What happened" side={<CompletenessBadge meta={ft.data?.meta} />}>
      <ol className={styles.story}>
        <li>{transaction ? <Call transaction={transaction} /> : "\u00a0"}</li>
        {moves.map(({ at, part, line }) => (
          <li key={`${at}.${part}`}>{line}</li>
        ))}
        {isCut && <li className="quiet">More than {most} transfers: the API has all of them.</li>}
      </ol>
    </Panel>
  )
}

function Call({ transaction }: { readonly transaction: Transaction }): ReactNode {
  const coin = useNativeCoin()
  const { from_address: from, to_address: to, contract_address: made, value, method_id: method, status } = transaction
  const sender = from ? <Address address={from} /> : "Somebody"
  const carried = value && value !== "0" ? <Amount units={value} decimals={18} symbol={coin} /> : undefined
  const verb = status === 0 ? "tried to" : undefined
  if (to === null) {
    return (
      <>
        {sender} {verb ? `${verb} deploy` : "deployed"} a contract{made && " at "}
        {made && <Address address={made} />}
        {carried && <> with {carried}</>}
      </>
    )
  }
  if (method === null) {
    return (
      <>
        {sender} {verb ? `${verb} send` : "sent"} {carried ?? "nothing"} to <Address address={to} />
      </>
    )
  }
  return (
    <>
      {sender} {verb ? `${verb} call` : "called"}{" "}
      <b title={`method ${method}`}>{plainText(transaction.decoded?.name ?? methodName(method), 60)}</b> of{" "}
      <Address address={to} />
      {carried && <> with {carried}</>}
    </>
  )
}
