// The chain from its start to its head: filled where covered, hatched where some workers are through, a notch at the watermark,
// gaps as gaps, dead blocks as marks. The one thing that every page shows.

import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { useChain } from "../app/chain-context"
import { apiQuery } from "../data/api-query"
import { useLive } from "../live/live-context"
import { formatNumber } from "../parts/format-number"
import { formatAge } from "../parts/format-time"
import { useNow } from "../parts/now-context"
import { tideSegments } from "./tide-segments"
import styles from "./tideline.module.css"

const buckets = 240

export function Tideline(): ReactNode {
  const chain = useChain()
  const live = useLive()
  const now = useNow()
  const [pointed, setPointed] = useState<number>()
  const { data, isPending } = useQuery(apiQuery(chain, "/coverage", { buckets }))
  const start = data ? BigInt(data.from) : 0n
  const end = data ? BigInt(data.to) : 1n
  const span = end > start ? end - start : 1n
  const share = (height: bigint): number => Number(((height - start) * 100_000n) / span) / 1_000
  const told = live.head?.height
  const head = told !== undefined && BigInt(told) >= end ? told : data ? String(end - 1n) : undefined
  const mark = data?.app_watermark_height ?? null
  const age = live.head ? formatAge(now - Date.parse(live.head.timestamp)) : undefined
  const at = mark === null ? 0 : share(BigInt(mark) + 1n)
  const heightAt = (percent: number): bigint => start + (span * BigInt(Math.round(percent * 1_000))) / 100_000n
  return (
    <div className={styles.tide} aria-busy={isPending}>
      <div className={styles.labels}>
        <span className={styles.mark} style={{ "--at": `${at}%` } as object}>
          {pointed !== undefined && data ? (
            <>height {formatNumber(heightAt(pointed))}</>
          ) : mark === null ? (
            (data && "nothing complete yet") || "\u00a0"
          ) : (
            <>
              complete to <b>{formatNumber(mark)}</b>
            </>
          )}
        </span>
        <span className={styles.head}>
          {!data ? "\u00a0" : head === undefined || end === start ? "no block yet" : `head ${formatNumber(head)}`}
          {age && ` · ${age}`}
        </span>
      </div>
      <Link
        to="/console/$chain/map"
        params={{ chain }}
        search={pointed === undefined ? {} : around(heightAt(pointed), start, end)}
        preload={false}
        className={styles.gauge}
        aria-label={`Complete to ${mark ?? "no block"} of ${head ?? "an unknown head"}: open the map`}
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect()
          setPointed(Math.min(99.999, Math.max(0, ((clientX - left) / width) * 100)))
        }}
        onPointerLeave={() => setPointed(undefined)}
      >
        {data &&
          tideSegments(data).map(({ from, to, level }) => (
            <span
              key={String(from)}
              className={styles[level]}
              style={{ left: `${share(from)}%`, width: `${share(to) - share(from)}%` }}
            />
          ))}
        {mark !== null && <span className={styles.notch} style={{ left: `${at}%` }} />}
        <svg className={styles.wave} viewBox="0 0 96 10" preserveAspectRatio="none" aria-hidden="true">
          <path d="M0 5q6-5 12 0t12 0 12 0 12 0 12 0 12 0 12 0 12 0 12 0 12 0v10H0z" />
        </svg>
      </Link>
    </div>
  )
}

/** The stretch of the map that shows a height; all of a short chain. */
function around(height: bigint, start: bigint, end: bigint): { from?: string; to?: string } {
  const half = (end - start) / 40n
  if (half < 16n) return {}
  const [from, to] = [height - half, height + half]
  return { from: String(from < start ? start : from), to: String(to > end ? end : to) }
}
