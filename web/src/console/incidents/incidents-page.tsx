// Whether the chain is halted or is being rolled back, what went wrong with blocks, and the rollbacks so far.

import { useSearch } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { Tabs } from "../../parts/tabs"
import { ActNotice } from "../acts/act-notice"
import { ErrorList } from "./error-list"
import { NowPanel } from "./now-panel"
import { RollbackList } from "./rollback-list"
import { RollbackPanel } from "./rollback-panel"

const tabs = [
  { id: "errors", name: "Errors" },
  { id: "rollbacks", name: "Rollbacks" },
]

export function IncidentsPage(): ReactNode {
  const { tab } = useSearch({ from: "/console/$chain/incidents" })
  return (
    <>
      <ActNotice />
      <NowPanel />
      <Tabs label="Kinds of incidents" tabs={tabs} shown={tab === "rollbacks" ? "rollbacks" : "errors"} />
      {tab === "rollbacks" ? (
        <>
          <RollbackPanel />
          <RollbackList />
        </>
      ) : (
        <ErrorList />
      )}
    </>
  )
}
