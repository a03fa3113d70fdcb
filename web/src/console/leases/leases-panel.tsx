// Every range that is not done: who works on it, since when, how often it was tried, and what went wrong.

import { type ReactNode, useMemo } from "react"
import { DataList } from "../../parts/data-list"
import { ErrorNotice } from "../../parts/error-notice"
import { Pager } from "../../parts/pager"
import { Panel } from "../../parts/panel"
import { useOps } from "../access/ops-query"
import type { Ground } from "./dead-acts"
import { leaseColumns } from "./lease-columns"
import { leaseArgs, type WorkFilter } from "./work-filter"

interface LeasesPanelProps {
  readonly ground: Ground
  readonly filter: WorkFilter
  readonly cursor: string | undefined
}

export function LeasesPanel({ ground, filter, cursor }: LeasesPanelProps): ReactNode {
  const args = { ...leaseArgs(filter), cursor, limit: 50 }
  const { data, error, dataUpdatedAt, refetch } = useOps(ground.chain, "/ops/leases", args)
  const columns = useMemo(() => leaseColumns(ground, dataUpdatedAt), [ground, dataUpdatedAt])
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
