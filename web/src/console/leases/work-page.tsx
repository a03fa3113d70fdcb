// Leases, dead blocks, and what an operator does to workers. What is shown of them is in the address.

import { useSearch } from "@tanstack/react-router"
import { type ReactNode, useMemo } from "react"
import { useChain } from "../../app/chain-context"
import { useOps } from "../access/ops-query"
import { ActNotice } from "../acts/act-notice"
import { DeadPanel } from "./dead-panel"
import { FilterBar } from "./filter-bar"
import { LeasesPanel } from "./leases-panel"
import { WorkerPanel } from "./worker-panel"
import { WorkersPanel } from "./workers-panel"

export function WorkPage(): ReactNode {
  const chain = useChain()
  const { worker, status, code, fault, height, cursor } = useSearch({ from: "/console/$chain/work" })
  const filter = useMemo(() => ({ worker, status, code, fault, height }), [worker, status, code, fault, height])
  const { data } = useOps(chain, "/ops/workers", { limit: 200 })
  const ground = useMemo(() => ({ chain, workers: data?.data ?? [] }), [chain, data])
  const shown = ground.workers.find((one) => one.worker === worker)
  return (
    <>
      <FilterBar chain={chain} filter={filter} workers={ground.workers} />
      <ActNotice />
      {shown && <WorkerPanel ground={ground} worker={shown} />}
      <DeadPanel ground={ground} filter={filter} />
      <LeasesPanel ground={ground} filter={filter} cursor={cursor} />
      {!shown && <WorkersPanel ground={ground} workers={data?.data} />}
    </>
  )
}
