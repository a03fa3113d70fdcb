// Events with their topics and data; with their names, where the server decodes them.

import type { ReactNode } from "react"
import type { RowOf } from "../data/api-query"
import { ApiList } from "../lists/api-list"
import { Address } from "../parts/address"
import type { Column } from "../parts/data-list"
import { formatNumber } from "../parts/format-number"
import { Hash } from "../parts/hash"
import { TransactionHash } from "../parts/transaction-hash"

type EventRow = RowOf<"/events">

const topics = (row: EventRow): ReactNode =>
  [row.topic1, row.topic2, row.topic3]
    .filter((topic) => topic !== null)
    .map((topic) => <div key={topic}>{<Hash value={topic} name="topic" />}</div>)

const dataOf = ({ data }: EventRow): ReactNode =>
  data === null || data === "0x" ? (
    <span className="quiet">none</span>
  ) : (
    <span title={data.slice(0, 1_000)}>
      <code>{data.slice(0, 18)}</code>
      {data.length > 18 && `… ${formatNumber(data.length / 2 - 1)} bytes`}
    </span>
  )

const columns: readonly Column<EventRow>[] = [
  { name: "Nr.", cell: (row) => <span className="quiet">{row.event_index}</span> },
  { name: "Contract", cell: ({ address }) => (address === null ? "–" : <Address address={address} />) },
  {
    name: "Event",
    lead: true,
    cell: ({ topic0 }) =>
      topic0 === null ? <span className="quiet">anonymous</span> : <Hash value={topic0} name="topic" />,
  },
  { name: "Topics", cell: topics },
  { name: "Data", cell: dataOf },
]

const inTransaction: Column<EventRow> = {
  name: "Transaction",
  cell: (row) => <TransactionHash hash={row.transaction_hash} />,
}

interface EventListProps {
  readonly title: string
  readonly path: "/transactions/{hash}/events" | "/accounts/{address}/events"
  readonly args: { readonly hash?: string; readonly address?: string; readonly order?: "asc" }
  readonly cursor: string | undefined
}

export function EventList({ title, path, args, cursor }: EventListProps): ReactNode {
  const isOfAccount = path === "/accounts/{address}/events"
  return (
    <ApiList
      title={title}
      path={path}
      args={args as never}
      cursor={cursor}
      columns={isOfAccount ? [inTransaction, ...columns] : columns}
      keyOf={(row) => `${row.block_height}.${row.event_index}`}
      awaited={10}
      empty="No events."
      {...(isOfAccount ? { heightOf: (row: EventRow) => row.block_height } : { first: "First", older: "More" })}
    />
  )
}
