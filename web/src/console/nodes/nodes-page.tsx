// The nodes that the chain is read from, with what they cost, and the processes that read it.

import type { ReactNode } from "react"
import { useChain } from "../../app/chain-context"
import { ErrorNotice } from "../../parts/error-notice"
import { Notice } from "../../parts/notice"
import { Panel } from "../../parts/panel"
import { useOps } from "../access/ops-query"
import styles from "./nodes-page.module.css"
import { ProcessList } from "./process-list"
import { ProviderPanel } from "./provider-panel"

export function NodesPage(): ReactNode {
  const { data, error, refetch } = useOps(useChain(), "/ops/providers", { limit: 200 })
  return (
    <>
      {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && (
        <Panel title="Nodes">
          <div className={styles.awaited} aria-busy="true" />
        </Panel>
      )}
      {data?.data.length === 0 && (
        <Notice title="No process reports a node">
          <p>Nodes are those of RPC_URL, as the processes with the role ingest see them. None of these runs.</p>
        </Notice>
      )}
      {data?.data.map((provider) => (
        <ProviderPanel key={provider.label} provider={provider} />
      ))}
      <ProcessList />
    </>
  )
}
