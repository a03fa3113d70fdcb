// The processes of the chain: what each does, what it takes, and what is wrong with it.

import type { ReactNode } from "react"
import type { RowOf } from "../../data/api-query"
import type { Column } from "../../parts/data-list"
import { formatBytes } from "../../parts/format-bytes"
import { formatNumber } from "../../parts/format-number"
import { formatDuration } from "../../parts/format-time"
import { useNow } from "../../parts/now-context"
import { plainText } from "../../parts/plain-text"
import { StateMark } from "../figures/state-mark"
import { OpsList } from "../lists/ops-list"
import styles from "./process-list.module.css"
import { processState } from "./process-words"

type Process = RowOf<"/ops/processes">

const columns: readonly Column<Process>[] = [
  { name: "Process", lead: true, cell: (process) => <Name {...process} /> },
  { name: "Roles", line: "beside", cell: ({ roles }) => plainText(roles.join(", "), 48) },
  { name: "Head", cell: ({ follows_head }) => (follows_head ? "follows it" : <span className="quiet">–</span>) },
  { name: "Memory", end: true, cell: ({ rss_bytes }) => formatBytes(rss_bytes) },
  { name: "Threads", end: true, cell: ({ threads }) => formatNumber(threads) },
  {
    name: "Connections",
    end: true,
    cell: ({ connections: held }) => (held === null ? "–" : formatNumber(held)),
  },
  { name: "Calls/min", end: true, cell: ({ calls_per_minute }) => formatNumber(calls_per_minute) },
  { name: "Up", end: true, cell: ({ up_ms }) => formatDuration(up_ms) },
  { name: "Version", end: true, cell: ({ version }) => plainText(version, 16) },
  { name: "State", line: "below", cell: (process) => <State process={process} /> },
]

export function ProcessList(): ReactNode {
  return (
    <OpsList
      title="Processes"
      quiet="that reported in the last 30 s"
      path="/ops/processes"
      args={{ limit: 200 }}
      columns={columns}
      keyOf={({ id }) => id}
      awaited={3}
      empty="No process has reported in the last 30 seconds. Start one with `npx tidemark start`."
    />
  )
}

function Name({ host, pid, http_url }: Process): ReactNode {
  const name = `${plainText(host, 40)}:${pid}`
  // What a row says is a link only where it is an address.
  const isAddress = http_url !== null && /^https?:\/\//.test(http_url)
  return (
    <span className={styles.name}>
      <b>{name}</b>
      {isAddress && (
        <a href={http_url} rel="noreferrer">
          {plainText(http_url, 48)}
        </a>
      )}
    </span>
  )
}

function State({ process }: { readonly process: Process }): ReactNode {
  const { tone, state, why } = processState(process, useNow())
  return (
    <span className={styles.state}>
      <StateMark tone={tone}>{state}</StateMark>
      {why && <span title={plainText(why, 600)}>{plainText(why, 160)}</span>}
    </span>
  )
}
