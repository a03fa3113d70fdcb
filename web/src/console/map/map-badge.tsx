// What is wrong with the whole chain, in numbers: dead blocks, failed ranges, work under way.

import type { ReactNode } from "react"
import { useChain } from "../../app/chain-context"
import { plural } from "../../parts/format-number"
import { useOps } from "../access/ops-query"
import styles from "./map-badge.module.css"

export function MapBadge(): ReactNode {
  const { data } = useOps(useChain(), "/ops/workers", { limit: 200 })
  if (!data) return null
  const count = (status: "active" | "failed" | "dead"): number =>
    data.data.reduce((sum, { leases }) => sum + leases[status], 0)
  const [dead, failed, active] = [count("dead"), count("failed"), count("active")]
  const words = [dead > 0 && `${plural(dead, "dead block")}`, failed > 0 && `${failed} failed`, `${active} active`]
  const tone = dead > 0 ? styles.dead : failed > 0 ? styles.failed : ""
  return <span className={`${styles.badge} ${tone}`}>{words.filter(Boolean).join(" · ")}</span>
}
