// One chain among others: what the doctor says, how far it is, and the way to its console.

import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { apiQuery } from "../../data/api-query"
import { statusQuery } from "../../data/status-query"
import { formatNumber, formatPercent, plural } from "../../parts/format-number"
import { tideSegments } from "../../shell/tide-segments"
import styles from "./chain-card.module.css"

const buckets = 120

export function ChainCard({ chain }: { readonly chain: string }): ReactNode {
  const { data: status } = useQuery(statusQuery(chain))
  const state = status?.diagnosis.state ?? "starting"
  const dead = status?.dead_blocks.length ?? 0
  return (
    <Link to="/console/$chain" params={{ chain }} className={`${styles.card} ${styles[state]}`}>
      <span className={styles.name}>
        <b>{chain}</b>
        <span className={styles.state}>{state}</span>
      </span>
      <span className={styles.message}>{status?.diagnosis.message ?? "It does not run yet."}</span>
      <Gauge chain={chain} />
      <span className={styles.figures}>
        <span>complete to {status?.watermark_height ? formatNumber(status.watermark_height) : "no block"}</span>
        <span>head {status?.head_height ? formatNumber(status.head_height) : "unknown"}</span>
        {status?.derived_percent != null && <span>{formatPercent(status.derived_percent)} derived</span>}
        {dead > 0 && <span className={styles.dead}>{plural(dead, "dead block")}</span>}
      </span>
    </Link>
  )
}

function Gauge({ chain }: { readonly chain: string }): ReactNode {
  const { data } = useQuery({ ...apiQuery(chain, "/coverage", { buckets }), refetchInterval: 15_000 })
  const [from, span] = data ? [BigInt(data.from), Number(BigInt(data.to) - BigInt(data.from)) || 1] : [0n, 1]
  return (
    <span className={styles.gauge} aria-hidden="true">
      {data &&
        tideSegments(data).map((segment) => (
          <span
            key={String(segment.from)}
            className={styles[segment.level]}
            style={{
              left: `${(Number(segment.from - from) / span) * 100}%`,
              width: `${(Number(segment.to - segment.from) / span) * 100}%`,
            }}
          />
        ))}
    </span>
  )
}
