// Every range that is not done: who works on it, since when, how often it was tried, and what went wrong.

import { Link } from "@tanstack/react-router"
import { type ReactNode, useMemo } from "react"
import { type Column, DataList } from "../../parts/data-list"
import { ErrorNotice } from "../../parts/error-notice"
import { formatAge } from "../../parts/format-time"
import { Pager } from "../../parts/pager"
import { Panel } from "../../parts/panel"
import { plainText } from "../../parts/plain-text"
import { useOps } from "../access/ops-query"
import { ActButton } from "../acts/act-button"
import { rangeWords } from "../map/map-words"
import { retryBlock, skipBlock } from "./block-acts"
import type { Ground } from "./dead-acts"
import { ErrorText } from "./error-text"
import { type Lease, LeaseState } from "./lease-state"
import { leaseArgs, type WorkFilter } from "./work-filter"
import styles from "./work-page.module.css"

interface LeasesPanelProps {
  readonly ground: Ground
  readonly filter: WorkFilter
  readonly cursor: string | undefined
}

export function LeasesPanel({ ground, filter, cursor }: LeasesPanelProps): ReactNode {
  const args = { ...leaseArgs(filter), cursor, limit: 50 }
  const { data, error, dataUpdatedAt, refetch } = useOps(ground.chain, "/ops/leases", args)
  const columns = useMemo(() => columnsOf(ground, dataUpdatedAt), [ground, dataUpdatedAt])
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  const isFiltered = Object.entries(filter).some(([name, value]) => name !== "worker" && value !== undefined)
  return (
    <Panel
      title="Leases"
      quiet={filter.status === undefined ? "running, or waiting for their next try" : "by worker and height"}
    >
      <DataList
        label="Leases"
        columns={columns}
        rows={data?.data}
        keyOf={({ id, worker }) => `${worker} ${id}`}
        awaited={5}
        empty={
          isFiltered
            ? "No lease is like this. Clear the filter to see the others."
            : "Nothing is in progress at the moment, and nothing waits to be tried again."
        }
      />
      <Pager cursor={cursor} next={data?.meta.next_cursor} first="First page" older="Next page" />
    </Panel>
  )
}

const columnsOf = (ground: Ground, readAt: number): readonly Column<Lease>[] => [
  {
    ...{ name: "Worker", lead: true },
    cell: ({ worker }) => (
      <Link to="/console/$chain/work" params={{ chain: ground.chain }} search={{ worker }} resetScroll={false}>
        {worker}
      </Link>
    ),
  },
  {
    ...{ name: "Heights", line: "beside" },
    cell: ({ worker, from, to }) => (
      <Link
        to="/console/$chain/map"
        params={{ chain: ground.chain }}
        search={{ worker, height: Number(to) - Number(from) <= 1 ? from : `${from}-${Number(to) - 1}` }}
        title="On the map"
      >
        <code>{rangeWords({ from: Number(from), to: Number(to) })}</code>
      </Link>
    ),
  },
  { name: "State", line: "beside", cell: (lease) => <LeaseState lease={lease} readAt={readAt} /> },
  {
    ...{ name: "Last error", line: "below", fill: true },
    cell: ({ error_code, error, error_age_ms: age }) => (
      <ErrorText code={error_code} text={error} age={age === null ? undefined : formatAge(age)} />
    ),
  },
  {
    ...{ name: "Holder", line: "beside" },
    cell: ({ leased_by: holder, status }) =>
      status === "ACTIVE" && holder ? (
        <span title={plainText(holder, 200)}>{plainText(holder, 24)}</span>
      ) : (
        <span className="quiet">nobody</span>
      ),
  },
  { name: "Actions", line: "beside", cell: (lease) => <LeaseActs ground={ground} lease={lease} /> },
]

function LeaseActs({ ground, lease }: { readonly ground: Ground; readonly lease: Lease }): ReactNode {
  const { worker, from: height, status } = lease
  if (status === "ACTIVE") return <span className="quiet">–</span>
  const about = `${worker}, block ${height}`
  return (
    <span className={styles.acts}>
      <ActButton act={() => retryBlock(ground, lease)} about={about}>
        Retry
      </ActButton>
      {status === "DEAD" && (
        <ActButton act={() => skipBlock(ground, lease)} about={about}>
          Skip
        </ActButton>
      )}
    </span>
  )
}
