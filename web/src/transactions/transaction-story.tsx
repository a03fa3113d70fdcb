// What a transaction did, as sentences: the value it carried, and the tokens that moved, in their order.

import type { ReactNode } from "react"
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
import { mostMoves, type Story } from "./use-story"

interface StoryProps {
  readonly transaction: Transaction | undefined
  readonly story: Story
}

export const TransactionStory = ({ transaction, story }: StoryProps): ReactNode => (
  <Panel title="What happened" side={<CompletenessBadge meta={story.meta} />}>
    <ol className={styles.story} aria-busy={!transaction || story.isAwaited}>
      <li>{transaction ? <Call transaction={transaction} /> : "\u00a0"}</li>
      {transaction &&
        story.moves.map((move) => (
          <li key={move.key}>{move.kind === "ft" ? <FtSentence row={move.row} /> : <NftSentence row={move.row} />}</li>
        ))}
      {story.isCut && <li className="quiet">More than {mostMoves} transfers: the API has all of them.</li>}
    </ol>
  </Panel>
)

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
