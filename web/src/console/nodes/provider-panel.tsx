// One node: whether it is used and why not, what it was asked, and what that cost.

import type { ReactNode } from "react"
import { type Column, DataList } from "../../parts/data-list"
import { formatBytes } from "../../parts/format-bytes"
import { formatNumber, formatPercent } from "../../parts/format-number"
import { formatDuration } from "../../parts/format-time"
import { useNow } from "../../parts/now-context"
import { Panel } from "../../parts/panel"
import { plainText } from "../../parts/plain-text"
import { type Figure, Figures } from "../figures/figures"
import { StateMark } from "../figures/state-mark"
import styles from "./provider-panel.module.css"
import { formatWait, type Provider, type ProviderSums, providerState, sumOf } from "./provider-words"

type Method = Provider["methods"][number]

export function ProviderPanel({ provider }: { readonly provider: Provider }): ReactNode {
  const { state, tone, why } = providerState(provider, useNow())
  const sums = sumOf(provider)
  return (
    <Panel title={plainText(provider.label, 80)} side={<StateMark tone={tone}>{state}</StateMark>}>
      <p className={styles.why}>{why}</p>
      <Figures figures={figuresOf(provider, sums)} />
      {provider.methods.length > 0 && (
        <DataList
          label={`Calls to ${plainText(provider.label, 80)} by method`}
          columns={columnsOf(provider.methods)}
          rows={provider.methods}
          keyOf={({ method }) => method}
          empty={null}
        />
      )}
    </Panel>
  )
}

function figuresOf(provider: Provider, { calls, errors, bytes, seconds, perMinute }: ProviderSums): Figure[] {
  const { head_height, head_age_ms, rate_limit, rate_share } = provider
  const failed = calls === 0 ? 0 : (errors / calls) * 100
  return [
    { number: formatNumber(perMinute), words: "calls in the last minute" },
    {
      number: formatPercent(failed),
      words: `errors, ${formatNumber(errors)} of ${formatNumber(calls)} calls`,
      tone: failed >= 5 ? "failed" : "plain",
    },
    { number: formatWait(seconds, calls), words: "waiting for a call" },
    { number: formatBytes(bytes), words: "received" },
    {
      number: head_height === null ? "unknown" : formatNumber(head_height),
      words: head_age_ms === null ? "its head" : `its head, ${formatDuration(head_age_ms)} old`,
      tone: provider.head_fault === null ? "plain" : "partial",
    },
    {
      number: rate_limit === null ? "none" : `${round(rate_limit)}/s`,
      words: rate_limit === null ? "limit of calls" : `limit of calls, ${round(rate_share ?? 0)}/s of it shared out`,
    },
  ]
}

const round = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 1 })

function columnsOf(methods: readonly Method[]): readonly Column<Method>[] {
  const most = Math.max(1, ...methods.map(({ calls }) => calls))
  return [
    {
      name: "Method",
      lead: true,
      cell: ({ method }) => <code className={styles.method}>{plainText(method, 48)}</code>,
    },
    {
      name: "Share",
      wide: true,
      cell: ({ calls }) => (
        <span className={styles.bar} aria-hidden="true">
          <span style={{ width: `${(calls / most) * 100}%` }} />
        </span>
      ),
    },
    { name: "Calls", end: true, cell: ({ calls }) => formatNumber(calls) },
    { name: "Last minute", end: true, cell: ({ per_minute }) => formatNumber(per_minute) },
    {
      name: "Errors",
      end: true,
      cell: ({ errors }) => <span className={errors > 0 ? styles.errors : "quiet"}>{formatNumber(errors)}</span>,
    },
    { name: "Received", end: true, cell: ({ bytes }) => formatBytes(bytes) },
    { name: "Per call", end: true, cell: ({ seconds, calls }) => formatWait(seconds, calls) },
    { name: "Waited", end: true, cell: ({ seconds }) => formatDuration(seconds * 1_000) },
  ]
}
