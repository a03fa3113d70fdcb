// Leases, dead blocks, and what an operator does to workers.

import { useSearch } from "@tanstack/react-router"
import { type ReactNode, useMemo } from "react"
import { useChain } from "../../app/chain-context"
import { useOps } from "../access/ops-query"
import { ActNotice } from "../acts/act-notice"
import { DeadPanel } from "./dead-panel"

export function WorkPage(): ReactNode {
  const chain = useChain()
  const { worker } = useSearch({ from: "/console/$chain/work" })
  const { data } = useOps(chain, "/ops/workers", { limit: 200 })
  const ground = useMemo(() => ({ chain, workers: data?.data ?? [] }), [chain, data])
  return (
    <>
      <ActNotice />
      <DeadPanel ground={ground} worker={worker} />
    </>
  )
}
