// What people did to the chain, newest first, each in a sentence. Filters and pages are in the address.

import { Link, useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { Column } from "../../parts/data-list"
import { plainText } from "../../parts/plain-text"
import { Time } from "../../parts/time"
import { FilterBar } from "../lists/filter-bar"
import { OpsList } from "../lists/ops-list"
import styles from "./audit-page.module.css"
import { type AuditRow, auditActions, auditSentence } from "./audit-sentence"

const actions = [
  { value: "", words: "every action" },
  ...auditActions.map((value) => ({ value, words: value.replace("_", " ") })),
]

const columns: readonly Column<AuditRow>[] = [
  { name: "What", lead: true, cell: (row) => <What {...row} /> },
  { name: "When", end: true, cell: ({ at }) => <Time at={at} /> },
]

export function AuditPage(): ReactNode {
  const { action, actor, cursor } = useSearch({ from: "/console/$chain/audit" })
  return (
    <OpsList
      title="Audit"
      quiet="what people did, newest first"
      path="/ops/audit"
      args={{ action, actor, limit: 50 }}
      cursor={cursor}
      columns={columns}
      keyOf={({ store, id }) => `${store} ${id}`}
      empty={
        action || actor
          ? "Nobody did that."
          : "Nobody has done anything to this chain yet. Whatever an operator does, here or with the CLI, is written down with who did it."
      }
    >
      <FilterBar
        label="Which acts"
        filters={[
          { name: "action", label: "Action", value: action, choices: actions },
          { name: "actor", label: "Who", value: actor, hint: "such as ann@192.0.2.7" },
        ]}
      />
    </OpsList>
  )
}

function What(row: AuditRow): ReactNode {
  const { did, why } = auditSentence(row)
  return (
    <div className={styles.what}>
      <p>
        <Link
          to="."
          search={((before: object) => ({ ...before, actor: row.actor, cursor: undefined })) as never}
          title="What else they did"
        >
          {plainText(row.actor)}
        </Link>{" "}
        {did}.
      </p>
      <details>
        <summary>details</summary>
        <pre>{plainLines(JSON.stringify({ action: row.action, ...row.details }, null, 1))}</pre>
      </details>
      {why && <p className={styles.why}>{why}</p>}
    </div>
  )
}

/** What JSON leaves as it is, such as marks that turn the direction of writing, is left out. */
const plainLines = (text: string): string =>
  text
    .slice(0, 4_000)
    .split("\n")
    .map((line) => `${/^ */.exec(line)![0]}${plainText(line, 400)}`)
    .join("\n")
