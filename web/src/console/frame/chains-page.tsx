// All chains of this server at a glance. With one chain there is nothing to choose.

import { useQuery } from "@tanstack/react-query"
import { Navigate } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { ChainContext } from "../../app/chain-context"
import { chainsQuery } from "../../data/chains-query"
import { Keys } from "../../keys/keys"
import { ErrorNotice } from "../../parts/error-notice"
import { Notice } from "../../parts/notice"
import { NowProvider } from "../../parts/now-context"
import { Footer } from "../../shell/footer"
import { Header } from "../../shell/header"
import { Page } from "../../shell/page"
import { ChainCard } from "./chain-card"
import styles from "./chains-page.module.css"

export function ChainsPage(): ReactNode {
  const { data: chains, error, refetch } = useQuery(chainsQuery)
  const [first] = chains ?? []
  if (!chains || !first) {
    return (
      <Page title="Console" heading={chains ? "Console" : " "}>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {chains && <Notice title="No chain runs here yet" />}
      </Page>
    )
  }
  if (chains.length === 1) return <Navigate to="/console/$chain" params={{ chain: first.chain }} replace />
  return (
    <ChainContext value={first.chain}>
      <NowProvider>
        <div className={styles.head}>
          <Header />
        </div>
        <Page title="Console" sub={`${chains.length} chains`}>
          <div className={styles.chains}>
            {chains.map(({ chain }) => (
              <ChainCard key={chain} chain={chain} />
            ))}
          </div>
        </Page>
        <Footer />
        <Keys />
      </NowProvider>
    </ChainContext>
  )
}
