// What is at a place of the map: the leases there, or why there are none.

import { Link } from "@tanstack/react-router"
import { type ReactNode, useMemo } from "react"
import { useChain } from "../../app/chain-context"
import { DataList } from "../../parts/data-list"
import { ErrorNotice } from "../../parts/error-notice"
import { Panel } from "../../parts/panel"
import { useOps } from "../access/ops-query"
import { leaseColumns } from "../leases/lease-columns"
import type { MapSpot } from "./coverage-map"
import { layerOf, mapStates, stateWords } from "./map-layer"
import { rangeWords } from "./map-words"

export function PlacePanel({ spot: { worker, range } }: { readonly spot: MapSpot }): ReactNode {
  const chain = useChain()
  const [from, to] = [String(range.from), String(range.to)]
  const args = { worker, from_height: from, to_height: to, limit: 25 }
  const { data, error, dataUpdatedAt } = useOps(chain, "/ops/leases", args)
  const { data: known } = useOps(chain, "/ops/workers", { limit: 200 })
  const columns = useMemo(
    () => leaseColumns({ chain, workers: known?.data ?? [] }, dataUpdatedAt).filter(({ name }) => name !== "Worker"),
    [chain, known, dataUpdatedAt],
  )
  const { data: map } = useOps(chain, "/ops/map", { from, to, buckets: 1 })
  const state = map && layerOf(map).rows.find((row) => row.worker === worker)?.runs[2]
  const words = state === undefined ? undefined : stateWords[mapStates[state]!]
  if (error && !data) return <ErrorNotice error={error} />
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
