// A list of the API in a panel: its rows, how far it is complete, what is new, and the way to older rows.

import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useChain } from "../app/chain-context"
import { type ArgsOf, type Path, pageQuery, type RowOf } from "../data/api-query"
import { isMissing } from "../data/fault-of"
import { useLive } from "../live/live-context"
import { removedSince } from "../live/live-state"
import type { Scope } from "../parts/completeness"
import { CompletenessBadge } from "../parts/completeness-badge"
import { type Column, DataList } from "../parts/data-list"
import { ErrorNotice } from "../parts/error-notice"
import { formatNumber } from "../parts/format-number"
import { FreshRows, useFresh } from "../parts/fresh-rows"
import { Pager } from "../parts/pager"
import { Panel } from "../parts/panel"

interface ApiListProps<P extends Path> {
  readonly title: string
  readonly path: P
  readonly args: ArgsOf<P>
  readonly columns: readonly Column<RowOf<P>>[]
  readonly keyOf: (row: RowOf<P>) => string
  readonly empty: ReactNode
  /** Of rows that fall in height. */
  readonly heightOf?: (row: RowOf<P>) => string
  /** From the address, undefined on the first page. Left out where a list has one page only. */
  readonly cursor?: string | undefined
  readonly awaited?: number
  /** What the pages before and after are called. */
  readonly first?: string
  readonly older?: string
  /** What comes with new blocks; blocks, if nothing is said. */
  readonly fresh?: "blocks" | "transactions"
  /** Beside the heading. */
  readonly side?: ReactNode
}

interface ListAnswer<Row> {
  readonly data: readonly Row[]
  readonly meta: Scope & { readonly next_cursor: string | null; readonly total?: string }
}

export function ApiList<P extends Path>(props: ApiListProps<P>): ReactNode {
  const {
    title,
    path,
    args,
    columns,
    keyOf,
    empty,
    heightOf,
    cursor,
    awaited,
    first,
    older,
    side,
    fresh = "blocks",
  } = props
  const query = pageQuery(useChain(), path, cursor === undefined ? args : { ...args, cursor })
  const { data, error, refetch, dataUpdatedAt } = useQuery(query)
  const live = useLive()
  const count = useFresh(live[fresh], dataUpdatedAt)
  const answer = data as ListAnswer<RowOf<P>> | undefined
  const removedFrom = removedSince(live.rollbacks, dataUpdatedAt)
  // What is summed up over all blocks may be another with any of them.
  const isRolledBack =
    removedFrom !== undefined &&
    (heightOf ? answer?.data.some((row) => BigInt(heightOf(row)) >= removedFrom) : answer !== undefined)
  const isAbsent = isMissing(error)
  if (error && !isAbsent && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  const total = answer?.meta.total
  return (
    <Panel
      title={title}
      quiet={total === undefined ? undefined : formatNumber(total)}
      side={
        <>
          {(isRolledBack || !cursor) && (
            <FreshRows
              count={count}
              name={fresh.slice(0, -1)}
              isRolledBack={isRolledBack ?? false}
              onShow={() => void refetch()}
            />
          )}
          {side}
          <CompletenessBadge meta={answer?.meta} />
        </>
      }
    >
      <DataList
        label={title}
        columns={columns}
        rows={isAbsent ? [] : answer?.data}
        keyOf={keyOf}
        empty={empty}
        meta={answer?.meta}
        removedFrom={removedFrom}
        {...(awaited === undefined ? {} : { awaited })}
        {...(heightOf ? { heightOf } : {})}
      />
      {"cursor" in props && (
        <Pager
          cursor={cursor}
          next={answer?.meta.next_cursor}
          {...(first === undefined ? {} : { first })}
          {...(older === undefined ? {} : { older })}
        />
      )}
    </Panel>
  )
}
