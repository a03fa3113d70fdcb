// The partitions of one table, in the order of their heights.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../../app/chain-context"
import type { RowOf } from "../../data/api-query"
import type { Column } from "../../parts/data-list"
import { formatBytes } from "../../parts/format-bytes"
import { formatNumber } from "../../parts/format-number"
import { plainText } from "../../parts/plain-text"
import { OpsList } from "../lists/ops-list"
import { SizeBar } from "./size-bar"
import { nameOf, type StoreTable } from "./store-growth"

type Partition = RowOf<"/ops/store/partitions">

interface PartitionListProps {
  readonly table: StoreTable
  readonly cursor: string | undefined
}

export function PartitionList({ table, cursor }: PartitionListProps): ReactNode {
  const chain = useChain()
  const columns: readonly Column<Partition>[] = [
    {
      name: "Heights",
      lead: true,
      cell: ({ from, to }) => (
        <Link to="/console/$chain/map" params={{ chain }} search={{ from, to }} title="On the map">
          {formatNumber(from)} to {formatNumber(BigInt(to) - 1n)}
        </Link>
      ),
    },
    {
      name: "Share",
      line: "beside",
      cell: ({ bytes, index_bytes }) => <SizeBar {...{ bytes, most: table.bytes, hatched: index_bytes }} />,
    },
    { name: "Size", end: true, cell: ({ bytes }) => formatBytes(bytes) },
    { name: "Indexes", end: true, cell: ({ index_bytes }) => formatBytes(index_bytes) },
    { name: "Rows, about", end: true, cell: ({ rows }) => (rows === null ? "–" : formatNumber(rows)) },
    { name: "Name", wide: true, cell: ({ partition }) => <code>{plainText(partition, 63)}</code> },
  ]
  return (
    <OpsList
      title={`Partitions of ${nameOf(table)}`}
      quiet="by height"
      path="/ops/store/partitions"
      args={{ store: table.store, table: table.table, limit: 50 }}
      cursor={cursor}
      columns={columns}
      keyOf={({ partition }) => partition}
      awaited={Math.min(50, table.partitions)}
      older="Higher"
      empty="There are no partitions on this page."
    />
  )
}
