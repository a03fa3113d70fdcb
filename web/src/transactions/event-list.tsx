// Events: decoded where an ABI is known, with whose word that is, or as their topics and data.

import type { ReactNode } from "react"
import { useSetting } from "../app/use-setting"
import type { RowOf } from "../data/api-query"
import { AbiSource } from "../decoded/abi-source"
import { DecodedValue, Hashed } from "../decoded/decoded-value"
import { ApiList } from "../lists/api-list"
import { Address } from "../parts/address"
import type { Column } from "../parts/data-list"
import { formatNumber } from "../parts/format-number"
import { Hash } from "../parts/hash"
import { plainText } from "../parts/plain-text"
import { TransactionHash } from "../parts/transaction-hash"
import styles from "./event-list.module.css"

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

const signatureOf = ({ topic0 }: EventRow): ReactNode =>
  topic0 === null ? <span className="quiet">anonymous</span> : <Hash value={topic0} name="topic" />

const place: readonly Column<EventRow>[] = [
  { name: "Nr.", cell: (row) => <span className="quiet">{row.event_index}</span> },
  {
    name: "Contract",
    line: "beside",
    cell: ({ address }) => (address === null ? "–" : <Address address={address} />),
  },
]
const raw: readonly Column<EventRow>[] = [
  ...place,
  { name: "Event", lead: true, cell: signatureOf },
  { name: "Topics", cell: topics },
  { name: "Data", cell: dataOf },
]
const decoded: readonly Column<EventRow>[] = [
  ...place,
  {
    name: "Event",
    lead: true,
    cell: (row) =>
      row.decoded ? <b title={row.decoded.signature}>{plainText(row.decoded.name, 40)}</b> : signatureOf(row),
  },
  { name: "Arguments", line: "below", cell: (row) => <Arguments row={row} /> },
  {
    name: "Known by",
    line: "beside",
    cell: (row) => (row.decoded ? <AbiSource abi={row.decoded.abi} /> : <span className="quiet">not decoded</span>),
  },
]

function Arguments({ row }: { readonly row: EventRow }): ReactNode {
  if (!row.decoded) {
    return (
      <div className={styles.bytes}>
        {topics(row)}
        <div>{dataOf(row)}</div>
      </div>
    )
  }
  return (
    <div className={styles.arguments}>
      {row.decoded.args.map(({ name, type, value, hashed }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may be missing, and need not differ.
        <div key={at}>
          <span className="quiet" title={type}>
            {name || at}
          </span>
          <span>
            {hashed ? <Hashed type={type} value={value} /> : <DecodedValue type={type} value={value} short />}
          </span>
        </div>
      ))}
    </div>
  )
}

const inTransaction: Column<EventRow> = {
  name: "Transaction",
  cell: (row) => <TransactionHash hash={row.transaction_hash} />,
}

interface EventListProps {
  readonly title: string
  readonly path: "/events" | "/transactions/{hash}/events" | "/accounts/{address}/events"
  readonly args: Readonly<Record<string, string>>
  readonly cursor: string | undefined
}

export function EventList({ title, path, args, cursor }: EventListProps): ReactNode {
  const [shown, setShown] = useSetting("events", "decoded")
  const isRaw = shown === "raw"
  const columns = isRaw ? raw : decoded
  const isOfAccount = path === "/accounts/{address}/events"
  const isOfMany = path !== "/transactions/{hash}/events"
  return (
    <ApiList
      title={title}
      path={path}
      args={args as never}
      cursor={cursor}
      columns={isOfMany ? [inTransaction, ...columns] : columns}
      keyOf={(row) => `${row.block_height}.${row.event_index}`}
      awaited={10}
      empty="No events."
      side={
        <button
          type="button"
          className={styles.raw}
          aria-pressed={isRaw}
          title="Topics and data as they were logged"
          onClick={() => setShown(isRaw ? "decoded" : "raw")}
        >
          Raw
        </button>
      }
      heightOf={({ block_height: height }) => height}
      {...(isOfAccount ? {} : { first: "First", older: "More" })}
    />
  )
}
