// The tables by size, first those that grow with the chain, each with a bar: how much of the largest it takes, the part of its indexes hatched. One is opened for
// its partitions.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { type Column, DataList } from "../../parts/data-list"
import { formatBytes } from "../../parts/format-bytes"
import { formatNumber, plural } from "../../parts/format-number"
import { Panel } from "../../parts/panel"
import { plainText } from "../../parts/plain-text"
import { SizeBar } from "./size-bar"
import { nameOf, type StoreTable } from "./store-growth"
import styles from "./table-list.module.css"

interface TableListProps {
  readonly tables: readonly StoreTable[] | undefined
  /** The one whose partitions are shown. */
  readonly shown: string | undefined
  /** Or only those that grow with the chain, the largest of them. */
  readonly isWhole: boolean
}

const most = 16

export function TableList({ tables, shown, isWhole }: TableListProps): ReactNode {
  const sorted = tables && [...tables].sort((a, b) => b.bytes - a.bytes)
  const large = sorted?.filter(({ bytes_per_block: grows }) => grows !== null).slice(0, most)
  const rest = (sorted?.length ?? 0) - (large?.length ?? 0)
  return (
    <Panel
      title="Tables"
      quiet="the largest first, indexes hatched"
      side={
        rest > 0 && (
          <Link to="." search={isWhole ? {} : ({ tab: "all" } as never)} resetScroll={false}>
            {isWhole ? "Only the largest" : `${plural(rest, "smaller table")} more`}
          </Link>
        )
      }
    >
      <DataList
        label="Tables"
        columns={columnsOf(sorted?.[0]?.bytes ?? 1, shown)}
        rows={isWhole ? sorted : large}
        keyOf={nameOf}
        empty="There are no tables yet."
      />
    </Panel>
  )
}

const columnsOf = (most: number, shown: string | undefined): readonly Column<StoreTable>[] => [
  { name: "Table", lead: true, cell: (table) => <Name table={table} isShown={nameOf(table) === shown} /> },
  {
    name: "Share",
    line: "beside",
    cell: ({ bytes, index_bytes }) => <SizeBar {...{ bytes, most, hatched: index_bytes }} />,
  },
  { name: "Size", end: true, cell: ({ bytes }) => formatBytes(bytes) },
  { name: "Indexes", end: true, cell: ({ index_bytes }) => formatBytes(index_bytes) },
  { name: "Rows, about", end: true, cell: ({ rows }) => (rows === null ? dash : formatNumber(rows)) },
  { name: "A block", end: true, cell: ({ bytes_per_block: one }) => (one === null ? dash : formatBytes(one)) },
  { name: "A day", end: true, cell: ({ bytes_per_day: day }) => (day === null ? dash : formatBytes(day)) },
]

const dash = <span className="quiet">–</span>

function Name({ table, isShown }: { readonly table: StoreTable; readonly isShown: boolean }): ReactNode {
  const { store, table: name, worker, partitions } = table
  return (
    <span className={styles.name}>
      <span>
        <span className="quiet">{store}.</span>
        {plainText(name, 63)}
      </span>
      <span className={styles.more}>
        {worker === null ? "does not grow with every block" : plainText(worker)}
        {partitions > 0 && (
          <Link
            to="."
            search={isShown ? {} : ({ table: nameOf(table) } as never)}
            resetScroll={false}
            aria-current={isShown ? "true" : undefined}
          >
            {isShown ? "hide" : `${formatNumber(partitions)} partition${partitions === 1 ? "" : "s"}`}
            <span className="hidden"> of {nameOf(table)}</span>
          </Link>
        )}
      </span>
    </span>
  )
}
