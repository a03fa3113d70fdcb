// A list: a table on a desk, cards on a phone, from the same markup. It keeps the height it will have while it waits, and draws
// the line below which everything is complete.

import { Fragment, type ReactNode } from "react"
import { completenessOf, type Scope } from "./completeness"
import styles from "./data-list.module.css"
import { formatNumber } from "./format-number"
import { Tag } from "./tag"

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  readonly end?: boolean
  /** What identifies the row: the head of its card. */
  readonly lead?: boolean
  /** Has a line of its own in cards; `below`: its lines are below its name. */
  readonly line?: "beside" | "below"
  /** Left out of cards. */
  readonly wide?: boolean
  /** Has the room that the others leave, and is cut there. */
  readonly fill?: boolean
}

interface DataListProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Undefined while they are awaited. */
  readonly rows: readonly Row[] | undefined
  readonly keyOf: (row: Row) => string
  /** Shown instead of no rows. */
  readonly empty: ReactNode
  readonly awaited?: number
  readonly meta?: Scope | undefined
  /** With it, and rows in falling order, the line is drawn. */
  readonly heightOf?: (row: Row) => string
  /** Rows from this height on were rolled back since they were read. */
  readonly removedFrom?: bigint | undefined
}

export function DataList<Row>(props: DataListProps<Row>): ReactNode {
  const { label, columns, rows, keyOf, empty, awaited = 25, meta, heightOf, removedFrom } = props
  if (rows?.length === 0) return <div className={styles.empty}>{empty}</div>
  const isRemoved = (row: Row): boolean =>
    removedFrom !== undefined && heightOf !== undefined && BigInt(heightOf(row)) >= removedFrom
  const line = rows && meta && heightOf ? lineBefore(rows, meta, heightOf) : undefined
  return (
    <div className={styles.frame}>
      {/* Its roles are named, since browsers forget them where its parts are laid out as cards. */}
      <table className={styles.list} role="table" aria-label={label} aria-busy={rows === undefined}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name, end = false, fill = false }) => (
              <th key={name} role="columnheader" scope="col" className={classOf({ end, fill })}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows
            ? rows.map((row, at) => (
                <Fragment key={keyOf(row)}>
                  {line?.at === at && <TideLine height={line.height} columns={columns.length} />}
                  <tr role="row" data-row="" className={isRemoved(row) ? styles.removed : undefined}>
                    {columns.map((column) => (
                      <td key={column.name} role="cell" data-label={column.name} className={classOf(column)}>
                        {column.cell(row)}
                        {column.lead && isRemoved(row) && (
                          <span className={styles.mark}>
                            <Tag tone="failed">rolled back</Tag>
                          </span>
                        )}
                      </td>
                    ))}
                  </tr>
                </Fragment>
              ))
            : Array.from({ length: awaited }, (_, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
                <tr key={at} role="row" className={styles.awaited}>
                  {columns.map((column) => (
                    <td key={column.name} role="cell" data-label={column.name} className={classOf(column)}>
                      <span className={styles.bone} />
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </div>
  )
}

type Placed = Pick<Column<never>, "end" | "lead" | "line" | "wide" | "fill">

const classOf = ({ end, lead, line, wide, fill }: Placed): string | undefined =>
  [end && styles.end, lead && styles.lead, wide && styles.wide, fill && styles.fill, line && styles[line]]
    .filter(Boolean)
    .join(" ") || undefined

function TideLine({ height, columns }: { readonly height: string; readonly columns: number }): ReactNode {
  return (
    <tr role="row" className={styles.line}>
      <td role="cell" colSpan={columns}>
        complete to {formatNumber(height)} below this line
      </td>
    </tr>
  )
}

/** Only where there are rows on both of its sides. */
function lineBefore<Row>(rows: readonly Row[], meta: Scope, heightOf: (row: Row) => string) {
  const state = completenessOf(meta)
  if (state.level !== "partial" || state.upTo === null) return undefined
  const height = state.upTo
  const at = rows.findIndex((row) => BigInt(heightOf(row)) <= BigInt(height))
  return at > 0 ? { at, height } : undefined
}
