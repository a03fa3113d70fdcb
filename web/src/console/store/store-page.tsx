// How large the store is, what takes the room, and when it is full. The table that is opened is in the address.

import { useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../../app/chain-context"
import { ErrorNotice } from "../../parts/error-notice"
import { useOps } from "../access/ops-query"
import { useStatus } from "../access/use-status"
import { FullPanel } from "./full-panel"
import { PartitionList } from "./partition-list"
import { RoomPanel } from "./room-panel"
import { nameOf, roomOf } from "./store-growth"
import { TableList } from "./table-list"

/** The server keeps sizes for half a minute. */
const everyMs = 30_000

export function StorePage(): ReactNode {
  const { table: name, tab, cursor } = useSearch({ from: "/console/$chain/store" })
  const { data: status } = useStatus()
  const { data, error, refetch } = useOps(useChain(), "/ops/store", { limit: 200 }, { everyMs })
  const tables = data?.data
  const table = tables?.find((one) => nameOf(one) === name)
  const room = status ? roomOf(status.store) : "unknown"
  const full = tables && <FullPanel tables={tables} />
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  return (
    <>
      <RoomPanel status={status} tables={tables} />
      {(room === "nearly full" || room === "soon") && full}
      {table && <PartitionList table={table} cursor={cursor} />}
      <TableList tables={tables} shown={table && nameOf(table)} isWhole={tab === "all"} />
      {(room === "enough" || room === "unknown") && full}
    </>
  )
}
