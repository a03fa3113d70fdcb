// Rollbacks, halts and errors of blocks.

import type { ReactNode } from "react"
import { Panel } from "../../parts/panel"

export function IncidentsPage(): ReactNode {
  return (
    <Panel title="Incidents">
      <p />
    </Panel>
  )
}
