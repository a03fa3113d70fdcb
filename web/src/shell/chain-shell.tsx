// What every page of a chain stands in: the head, the tideline, one stream and one clock.

import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { ChainContext } from "../app/chain-context"
import { chainsQuery } from "../data/chains-query"
import { Keys } from "../keys/keys"
import { useSameMarks } from "../keys/use-same-marks"
import { LiveProvider } from "../live/live-provider"
import { ErrorNotice } from "../parts/error-notice"
import { Notice } from "../parts/notice"
import { NowProvider } from "../parts/now-context"
import styles from "./chain-shell.module.css"
import { Footer } from "./footer"
import { Header } from "./header"
import { LiveRegion } from "./live-region"
import { Page } from "./page"
import { Tideline } from "./tideline"

export function ChainShell({ chain, children }: { readonly chain: string; readonly children: ReactNode }): ReactNode {
  const { data: chains, error, refetch } = useQuery(chainsQuery)
  useSameMarks()
  if (chains && !chains.some((one) => one.chain === chain))
    return <NoChain name={chain} chains={chains.map((one) => one.chain)} />
  return (
    <ChainContext value={chain}>
      <LiveProvider chain={chain}>
        <NowProvider>
          <div className={styles.head}>
            <Header />
            <Tideline />
          </div>
          <LiveRegion />
          <div className={styles.body}>
            {chains
              ? children
              : error && (
                  <Page title="Tidemark">
                    <ErrorNotice error={error} onRetry={() => void refetch()} />
                  </Page>
                )}
          </div>
          <Footer />
          <Keys />
        </NowProvider>
      </LiveProvider>
    </ChainContext>
  )
}

function NoChain({ name, chains }: { readonly name: string; readonly chains: readonly string[] }): ReactNode {
  return (
    <Page title="No such chain">
      <Notice
        title={chains.length === 0 ? "No chain runs here yet" : `This server has no chain called ${name.slice(0, 40)}`}
      >
        {chains.map((chain) => (
          <p key={chain}>
            <Link to="/$chain" params={{ chain }}>
              {chain}
            </Link>
          </p>
        ))}
      </Notice>
    </Page>
  )
}
