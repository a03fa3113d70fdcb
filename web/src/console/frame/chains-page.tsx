// All chains of this server at a glance, the worst first. With one chain there is nothing to choose.

import { useQuery } from "@tanstack/react-query"
import { Navigate } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { ChainContext } from "../../app/chain-context"
import { chainsQuery } from "../../data/chains-query"
import { allStatusQuery } from "../../data/status-query"
import { Keys } from "../../keys/keys"
import { ErrorNotice } from "../../parts/error-notice"
import { Notice } from "../../parts/notice"
import { NowProvider } from "../../parts/now-context"
import { Footer } from "../../shell/footer"
import { Header } from "../../shell/header"
import { Page } from "../../shell/page"
import { AwaitedCard, ChainCard, StartingCard } from "./chain-card"
import { chainsWords, worstFirst } from "./chain-figures"
import styles from "./chains-page.module.css"

/** A chain that starts is here as soon as it runs. */
const everyMs = 10_000

export function ChainsPage(): ReactNode {
  const { data: chains, error, refetch } = useQuery({ ...chainsQuery, refetchInterval: everyMs })
  const { data: all, error: unknown } = useQuery(allStatusQuery)
  const [first] = chains ?? []
  // One may be in both lists while it starts.
  const starting = (all?.starting ?? []).filter((one) => !chains?.some(({ chain }) => chain === one.chain))
  if (!chains || !first) {
    return (
      <Page title="Console" heading={chains ? "Console" : " "}>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {chains && starting.length === 0 && <Notice title="No chain runs here yet" />}
        <div className={styles.chains}>
          {starting.map((one) => (
            <StartingCard key={one.chain} {...one} />
          ))}
        </div>
      </Page>
    )
  }
  const states = [
    ...chains.map(({ chain }) => all?.chains.find((one) => one.chain === chain)?.diagnosis.state),
    ...starting.map(() => "starting" as const),
  ]
  const isOnly = chains.length === 1 && starting.length === 0
  if (isOnly) return <Navigate to="/console/$chain" params={{ chain: first.chain }} replace />
  return (
    <ChainContext value={first.chain}>
      <NowProvider>
        <div className={styles.head}>
          <Header />
        </div>
        <Page title="Console" sub={chainsWords(states)}>
          {unknown && <ErrorNotice error={unknown} onRetry={() => void refetch()} />}
          <div className={styles.chains} aria-busy={!all && !unknown}>
            {!all && !unknown
              ? chains.map(({ chain }) => <AwaitedCard key={chain} />)
              : worstFirst(
                  chains.map(({ chain }) => chain),
                  all?.chains ?? [],
                ).map((chain) => (
                  <ChainCard key={chain} chain={chain} status={all?.chains.find((one) => one.chain === chain)} />
                ))}
            {starting.map((one) => (
              <StartingCard key={one.chain} {...one} />
            ))}
          </div>
        </Page>
        <Footer />
        <Keys />
      </NowProvider>
    </ChainContext>
  )
}
