// How far every worker is, what needs a person first, and how it came there.

import { useNavigate } from "@tanstack/react-router"
import { type ReactNode, useMemo } from "react"
import { useChain } from "../../app/chain-context"
import { Panel } from "../../parts/panel"
import { useOps } from "../access/ops-query"
import { GraphPanel } from "../graph/graph-panel"
import { orderWorkers } from "../graph/order-workers"
import { HistoryPanel } from "../history/history-panel"
import { CoverageMap, type MapSpot } from "../map/coverage-map"
import { MapBadge } from "../map/map-badge"
import { LagList } from "./lag-list"
import styles from "./overview-page.module.css"
import { WorryList } from "./worry-list"

export function OverviewPage(): ReactNode {
  const chain = useChain()
  const navigate = useNavigate()
  const { data } = useOps(chain, "/ops/workers", { limit: 200 })
  const workers = useMemo(() => data && orderWorkers(data.data), [data])
  const open = ({ worker, range }: MapSpot): void => {
    const height = range.to - range.from <= 1 ? String(range.from) : `${range.from}-${range.to - 1}`
    void navigate({ to: "/console/$chain/map", params: { chain }, search: { worker, height } })
  }
  return (
    <>
      <Panel title="Coverage" quiet="heights by worker, the worst state wins" side={<MapBadge />}>
        <CoverageMap onOpen={open} />
      </Panel>
      <div className={styles.pair}>
        <WorryList workers={workers} />
        <LagList workers={workers} />
      </div>
      <HistoryPanel workers={workers} />
      <GraphPanel workers={workers} />
    </>
  )
}
