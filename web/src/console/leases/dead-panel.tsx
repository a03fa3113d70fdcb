// Dead blocks, grouped by worker and error: what waits for a person, and what to do about it.

import { Link } from "@tanstack/react-router"
import { type ReactNode, useMemo } from "react"
import { type Column, DataList } from "../../parts/data-list"
import { ErrorNotice } from "../../parts/error-notice"
import { formatNumber, plural } from "../../parts/format-number"
import { formatAge } from "../../parts/format-time"
import { Panel } from "../../parts/panel"
import { useOps } from "../access/ops-query"
import { ActButton } from "../acts/act-button"
import { rangeWords } from "../map/map-words"
import { type DeadGroup, type Ground, retryAllDead, retryGroup, skipGroup } from "./dead-acts"
import { ErrorText } from "./error-text"
import type { WorkFilter } from "./work-filter"
import styles from "./work-page.module.css"

interface DeadPanelProps {
  readonly ground: Ground
  readonly filter: WorkFilter
}

export function DeadPanel({ ground, filter }: DeadPanelProps): ReactNode {
  const { worker, code, fault } = filter
  const { data, error } = useOps(ground.chain, "/ops/leases/dead", { worker, limit: 200 })
  const columns = useMemo(() => columnsOf(ground), [ground])
  const groups = data?.data.filter(
    (group) => (code ?? group.error_code) === group.error_code && (fault ?? group.fault) === group.fault,
  )
  // Retrying all means those of other errors too.
  const isPart = code !== undefined || fault !== undefined
  const blocks = groups?.reduce((sum, group) => sum + group.blocks, 0) ?? 0
  if (error && !data) return <ErrorNotice error={error} />
  return (
    <Panel
      title="Dead blocks"
      quiet={groups && groups.length > 0 ? `${formatNumber(blocks)} in ${plural(groups.length, "group")}` : undefined}
      side={blocks > 0 && !isPart && <ActButton act={() => retryAllDead(ground, worker)}>Retry all</ActButton>}
    >
      <DataList
        label="Dead blocks"
        columns={columns}
        rows={groups}
        keyOf={(group) => `${group.worker} ${group.error_code} ${group.fault}`}
        awaited={1}
        empty={`No block${worker ? ` of ${worker}` : ""} is dead. Nothing waits for you.`}
      />
    </Panel>
  )
}

const columnsOf = (ground: Ground): readonly Column<DeadGroup>[] => [
  { name: "Worker", lead: true, cell: ({ worker }) => <b>{worker}</b> },
  {
    ...{ name: "Error", line: "below", fill: true },
    cell: ({ error_code, error }) => <ErrorText code={error_code} text={error} />,
  },
  {
    ...{ name: "Blocks", end: true },
    cell: (group) => (
      <Link
        to="/console/$chain/work"
        params={{ chain: ground.chain }}
        search={{ worker: group.worker, status: "DEAD", code: group.error_code, fault: group.fault }}
        title={rangeWords({ from: Number(group.first_height), to: Number(group.last_height) + 1 })}
      >
        {formatNumber(group.blocks)}
      </Link>
    ),
  },
  {
    name: "Heights",
    cell: ({ first_height, last_height }) => (
      <code>{rangeWords({ from: Number(first_height), to: Number(last_height) + 1 })}</code>
    ),
  },
  {
    name: "Last failed",
    cell: ({ newest_age_ms, attempts }) => (
      <span title={`after ${plural(attempts, "try", "tries")}`}>
        {newest_age_ms === null ? "unknown" : formatAge(newest_age_ms)}
      </span>
    ),
  },
  {
    ...{ name: "Actions", line: "beside" },
    cell: (group) => (
      <span className={styles.acts}>
        <ActButton act={() => retryGroup(ground, group)} about={`of ${group.worker} with ${group.error_code}`}>
          Retry
        </ActButton>
        <ActButton act={() => skipGroup(ground, group)} about={`of ${group.worker} with ${group.error_code}`}>
          Skip
        </ActButton>
      </span>
    ),
  },
]
