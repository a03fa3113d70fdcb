// Something that was not found: it may not exist, the chain may not have come to it, or the index may not have.

import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { TidemarkError } from "tidemark/client"
import { useChain } from "../app/chain-context"
import { statusQuery } from "../data/status-query"
import { formatNumber, formatPercent } from "./format-number"
import { formatDuration } from "./format-time"
import { Notice } from "./notice"

interface AbsentProps {
  /** Such as "block". */
  readonly kind: string
  readonly error: TidemarkError
  /** Where it is one of the chain's heights. */
  readonly height?: string
}

export function Absent({ kind, error, height }: AbsentProps): ReactNode {
  const { data: status } = useQuery(statusQuery(useChain()))
  const head = status?.head_height
  const mark = error.details["data_watermark"]
  const upTo = typeof mark === "string" ? mark : null
  if (height !== undefined && head != null && BigInt(height) > BigInt(head)) {
    return (
      <Notice title={`The chain has not reached ${kind} ${formatNumber(height)} yet`}>
        <p>
          The head is at {formatNumber(head)}. The page shows the {kind} as soon as it is there.
        </p>
      </Notice>
    )
  }
  if (height !== undefined && status && BigInt(height) < BigInt(status.start_height)) {
    return (
      <Notice title={`${kindName(kind)} ${formatNumber(height)} is not part of this index`}>
        <p>It begins at {formatNumber(status.start_height)}.</p>
      </Notice>
    )
  }
  const isFilling = (status?.history_percent ?? 100) < 100 || (status?.derived_percent ?? 100) < 100
  if (status && (height !== undefined || isFilling)) {
    const percent = Math.min(status.history_percent ?? 100, status.derived_percent ?? 100)
    const eta = status.history_eta_ms
    const left = eta ? `, about ${formatDuration(eta)} to go` : ""
    const title = height === undefined ? `There is no such ${kind} in what is indexed so far` : "Not indexed yet"
    return (
      <Notice title={title} tone="partial">
        <p>
          {height === undefined ? "History" : `Height ${formatNumber(height)}`} is still being filled in:{" "}
          {formatPercent(percent)}
          {left}. {upTo === null ? "" : `Everything up to ${formatNumber(upTo)} is complete. `}The page shows it as
          soon as it is there.
        </p>
      </Notice>
    )
  }
  if (kind === "account") {
    return (
      <Notice title="It has taken part in no transaction on this chain">
        <p>Tokens that others moved to it are below.</p>
      </Notice>
    )
  }
  return (
    <Notice title={`There is no such ${kind} on this chain`}>
      <p>
        {upTo === null
          ? "Nothing is complete yet."
          : `Everything up to ${formatNumber(upTo)} is indexed, and it is not there.`}{" "}
        A transaction that is not in a block yet is not shown either.
      </p>
    </Notice>
  )
}

const kindName = (kind: string): string => kind[0]!.toUpperCase() + kind.slice(1)
