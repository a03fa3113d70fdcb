// A chain at a glance: how far it is right, its newest blocks and transactions.

import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { statusQuery } from "../data/status-query"
import { Page } from "../shell/page"
import { ChainFigures } from "./chain-figures"
import { ChainSentence } from "./chain-sentence"
import styles from "./home-page.module.css"
import { IndexPanel } from "./index-panel"
import { LatestBlocks } from "./latest-blocks"
import { LatestTransactions } from "./latest-transactions"

export function HomePage(): ReactNode {
  const chain = useChain()
  const { data: status } = useQuery(statusQuery(chain))
  return (
    <Page
      title={chain}
      heading={chainTitle(chain)}
      sub={
        <span className={styles.sentence}>
          <ChainSentence status={status} />
        </span>
      }
    >
      <ChainFigures status={status} />
      <div className={styles.two}>
        <LatestBlocks />
        <LatestTransactions />
      </div>
      <IndexPanel status={status} />
    </Page>
  )
}

const chainTitle = (name: string): string => `${name[0]!.toUpperCase()}${name.slice(1)} chain`
