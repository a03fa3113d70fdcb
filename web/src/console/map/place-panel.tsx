// What is at a place of the map: the leases there, or why there are none.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useChain } from "../../app/chain-context"
import type { RowOf } from "../../data/api-query"
import { type Column, DataList } from "../../parts/data-list"
import { ErrorNotice } from "../../parts/error-notice"
import { formatDuration } from "../../parts/format-time"
import { Panel } from "../../parts/panel"
import { plainText } from "../../parts/plain-text"
import { useOps } from "../access/ops-query"
import type { MapSpot } from "./coverage-map"
import { layerOf, mapStates, stateWords } from "./map-layer"
import { rangeWords } from "./map-words"

type Lease = RowOf<"/ops/leases">

const columns: readonly Column<Lease>[] = [
  {
    name: "Heights",
    lead: true,
    cell: ({ from, to }) => <code>{rangeWords({ from: Number(from), to: Number(to) })}</code>,
  },
  { name: "State", cell: (lease) => stateOf(lease) },
  { name: "Holder", cell: ({ leased_by }) => (leased_by ? plainText(leased_by, 24) : "nobody"), wide: true },
  {
    name: "Error",
    lead: true,
    cell: ({ error }) => (error ? <span title={plainText(error, 400)}>{plainText(error)}</span> : "none"),
  },
]

function stateOf({ status, attempt, next_attempt_in_ms, leased_for_ms }: Lease): string {
  if (status === "DEAD") return `dead after ${attempt} tries`
  if (status === "FAILED") return `try ${attempt + 1} in ${formatDuration(Math.max(0, next_attempt_in_ms ?? 0))}`
  return attempt > 1
    ? `try ${attempt}, for ${formatDuration(leased_for_ms ?? 0)}`
    : `for ${formatDuration(leased_for_ms ?? 0)}`
}

export function PlacePanel({ spot: { worker, range } }: { readonly spot: MapSpot }): ReactNode {
  const chain = useChain()
  const [from, to] = [String(range.from), String(range.to)]
  const { data, error } = useOps(chain, "/ops/leases", { worker, from_height: from, to_height: to, limit: 25 })
  const { data: map } = useOps(chain, "/ops/map", { from, to, buckets: 1 })
  const state = map && layerOf(map).rows.find((row) => row.worker === worker)?.runs[2]
  const words = state === undefined ? undefined : stateWords[mapStates[state]!]
  if (error) return <ErrorNotice error={error} />
  return (
    <Panel
      title={`${worker}, ${rangeWords(range)}`}
      quiet={words}
      side={
        <Link to="/console/$chain/work" params={{ chain }} search={{ worker }}>
          All work of this worker
        </Link>
      }
    >
      <DataList
        label="Leases here"
        columns={columns}
        rows={data?.data}
        keyOf={({ id, worker: own }) => `${own} ${id}`}
        awaited={1}
        empty={
          state === 3 || state === 4
            ? "Nobody works on these heights at the moment. A worker takes them when it gets there and what it depends on has them."
            : "There is no work left here."
        }
      />
    </Panel>
  )
}
