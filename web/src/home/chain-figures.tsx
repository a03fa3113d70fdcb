// Four numbers of a chain. A block that is being derived this moment is not a share that is missing.

import type { ReactNode } from "react"
import type { ChainStatus } from "../data/status-query"
import { useLive } from "../live/live-context"
import { formatNumber, formatPercent, plural } from "../parts/format-number"
import styles from "./chain-figures.module.css"

export function ChainFigures({ status }: { readonly status: ChainStatus | undefined }): ReactNode {
  const { head: told } = useLive()
  const head = told?.height ?? status?.head_height
  const percent = status && shareOf(status)
  const rate = status && Math.max(0, ...status.workers.slice(0, 1).map((worker) => worker.blocks_per_second.last_60s))
  const dead = status?.workers.reduce((sum, { leases }) => sum + leases.dead, 0)
  const lag = status?.lag_blocks ?? null
  const finalized = status?.finalized_height
  return (
    <div className={styles.figures}>
      <Figure
        number={head == null ? "–" : formatNumber(head)}
        words={lag === null ? "head" : lag === 0 ? "head, stored" : `head, ${plural(lag, "block")} behind it`}
      />
      <Figure
        number={percent === undefined ? "–" : formatPercent(percent)}
        words={finalized == null ? "complete" : `complete; final to ${formatNumber(finalized)}`}
      />
      <Figure
        number={
          rate === undefined
            ? "–"
            : rate.toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 })
        }
        words="blocks a second, last minute"
      />
      <Figure
        number={dead === undefined ? "–" : formatNumber(dead)}
        words={dead === 1 ? "dead block" : "dead blocks"}
        isBad={(dead ?? 0) > 0}
      />
    </div>
  )
}

/** More than a moment of the head. */
const behindBlocks = 20n

function shareOf({ watermark_height: mark, head_height: head, ...status }: ChainStatus): number {
  const isWhole = mark !== null && head !== null && BigInt(head) - BigInt(mark) <= behindBlocks
  return isWhole ? 100 : Math.min(status.history_percent ?? 0, status.derived_percent ?? status.history_percent ?? 0)
}

interface FigureProps {
  readonly number: string
  readonly words: string
  readonly isBad?: boolean
}

const Figure = ({ number, words, isBad = false }: FigureProps): ReactNode => (
  <div className={isBad ? styles.bad : undefined}>
    <b>{number}</b>
    <span>{words}</span>
  </div>
)
