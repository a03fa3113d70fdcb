// A list of operators in a panel: its rows, its filters beside them, and the way to the next page, which is in the address.

import type { ReactNode } from "react"
import { useChain } from "../../app/chain-context"
import type { ArgsOf, RowOf } from "../../data/api-query"
import { type Column, DataList } from "../../parts/data-list"
import { ErrorNotice } from "../../parts/error-notice"
import { Pager } from "../../parts/pager"
import { Panel } from "../../parts/panel"
import { type OpsPath, useOps } from "../access/ops-query"

interface OpsListProps<P extends OpsPath> {
  readonly title: string
  readonly quiet?: ReactNode
  readonly side?: ReactNode
  readonly path: P
  readonly args: ArgsOf<P>
  readonly columns: readonly Column<RowOf<P>>[]
  readonly keyOf: (row: RowOf<P>) => string
  readonly empty: ReactNode
  /** From the address; left out where a list has one page only. */
  readonly cursor?: string | undefined
  readonly awaited?: number
  readonly older?: string
  /** Between the heading and the rows. */
  readonly children?: ReactNode
}

interface ListAnswer<Row> {
  readonly data: readonly Row[]
  readonly meta: { readonly next_cursor: string | null }
}

export function OpsList<P extends OpsPath>(props: OpsListProps<P>): ReactNode {
  const { title, quiet, side, path, args, columns, keyOf, empty, cursor, awaited = 10, older, children } = props
  const { data, error, refetch } = useOps(useChain(), path, cursor === undefined ? args : { ...args, cursor })
  const answer = data as ListAnswer<RowOf<P>> | undefined
  return (
    <Panel title={title} quiet={quiet} side={side}>
      {children}
      {error && !answer ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <DataList label={title} columns={columns} rows={answer?.data} keyOf={keyOf} empty={empty} awaited={awaited} />
      )}
      {"cursor" in props && (
        <Pager cursor={cursor} next={answer?.meta.next_cursor} {...(older === undefined ? {} : { older })} />
      )}
    </Panel>
  )
}
