// How far each worker is behind the head, now and over the last hour.

import { type ReactNode, useMemo } from "react"
import { useChain } from "../../app/chain-context"
import { formatNumber, plural } from "../../parts/format-number"
import { Panel } from "../../parts/panel"
import { useOps } from "../access/ops-query"
import { stateOf, type Worker } from "../graph/worker-state"
import styles from "./lag-list.module.css"

const points = 60
const everyMs = 30_000

export function LagList({ workers }: { readonly workers: readonly Worker[] | undefined }): ReactNode {
  const { data } = useOps(useChain(), "/ops/series", { span: "hour", points }, { everyMs })
  const lines = useMemo(
    () => new Map(data?.workers.map(({ worker, lag_blocks }) => [worker, lineOf(lag_blocks)])),
    [data],
  )
  return (
    <Panel title="Lag" quiet="behind the head, over the last hour">
      <ul className={styles.list} aria-busy={workers === undefined}>
        {workers?.map((worker) => (
          <li key={worker.worker}>
            <span className={`${styles.dot} ${styles[stateOf(worker)]}`} aria-hidden="true" />
            <span className={styles.name}>{worker.worker}</span>
            <svg viewBox="0 0 120 20" preserveAspectRatio="none" aria-hidden="true">
              <path d={lines.get(worker.worker) ?? ""} />
            </svg>
            <span className={styles.lag} title={`${stateOf(worker)}, ${markWords(worker)}`}>
              {worker.lag_blocks === null ? "unknown" : <b>{formatNumber(worker.lag_blocks)}</b>}
              <span className="hidden">{worker.lag_blocks === null ? "" : plural(worker.lag_blocks, "block")}</span>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const markWords = ({ watermark_height }: Worker): string =>
  watermark_height === null ? "nothing complete" : `complete to ${formatNumber(watermark_height)}`

/** A path of 120 by 20. Where nothing is known it has a hole. */
function lineOf(lags: readonly (number | null)[]): string {
  const most = Math.max(1, ...lags.map((lag) => lag ?? 0))
  let path = ""
  let isOpen = false
  for (const [at, lag] of lags.entries()) {
    if (lag !== null) {
      const [x, y] = [(at * 120) / Math.max(1, lags.length - 1), 18 - (lag / most) * 16]
      path += `${isOpen ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`
    }
    isOpen = lag !== null
  }
  return path
}
