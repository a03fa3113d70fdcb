// The rollbacks so far, newest first: what each removed, how deep it went, how long it took, why, and who asked for it.

import { useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { RowOf } from "../../data/api-query"
import type { Column } from "../../parts/data-list"
import { formatNumber, plural } from "../../parts/format-number"
import { plainText } from "../../parts/plain-text"
import { Time } from "../../parts/time"
import { StateMark } from "../figures/state-mark"
import { OpsList } from "../lists/ops-list"
import styles from "./rollback-list.module.css"
import { depthOf, formatTook, reasonOf, removedOf, whoOf } from "./rollback-words"

type Rollback = RowOf<"/ops/rollbacks">

const columns: readonly Column<Rollback>[] = [
  { name: "Removed", lead: true, cell: (row) => <Removed {...row} /> },
  { name: "Depth", end: true, cell: (row) => <Depth {...row} /> },
  { name: "Took", end: true, cell: ({ took_ms }) => (took_ms === null ? dash : formatTook(took_ms)) },
  { name: "When", end: true, cell: ({ created_at, opened_at }) => <When at={created_at ?? opened_at} /> },
  { name: "Why, and who", line: "below", cell: (row) => <Why {...row} /> },
]

const dash = <span className="quiet">–</span>
const When = ({ at }: { readonly at: string | null }): ReactNode => (at === null ? dash : <Time at={at} />)

export function RollbackList(): ReactNode {
  const { cursor } = useSearch({ from: "/console/$chain/incidents" })
  return (
    <OpsList
      title="Rollbacks"
      quiet="newest first"
      path="/ops/rollbacks"
      args={{ limit: 25 }}
      cursor={cursor}
      columns={columns}
      keyOf={({ id }) => id}
      empty="Nothing was ever rolled back: no reorganisation reached what is stored."
    />
  )
}

const tones = { open: "partial", done: "plain", cancelled: "quiet" } as const

function Removed(row: Rollback): ReactNode {
  const { state, app_done } = row
  return (
    <span className={styles.removed}>
      <b>{removedOf(row)}</b>
      <StateMark tone={tones[state]}>{state}</StateMark>
      {state === "done" && !app_done && <span className="quiet">the derived tables follow</span>}
    </span>
  )
}

function Depth(row: Rollback): ReactNode {
  const depth = depthOf(row)
  return depth === undefined ? dash : <span title={plural(depth, "block")}>{formatNumber(depth)}</span>
}

function Why(row: Rollback): ReactNode {
  const [reason, who] = [reasonOf(row), whoOf(row)]
  return (
    <span className={styles.why}>
      <span title={plainText(row.reason ?? "", 600)}>{plainText(reason ?? "no reason was given", 200)}</span>
      <span className="quiet">{who === null ? "Tidemark, by itself" : plainText(who)}</span>
    </span>
  )
}
