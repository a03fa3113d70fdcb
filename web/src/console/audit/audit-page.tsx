// What people did.

import type { ReactNode } from "react"
import { Panel } from "../../parts/panel"

export function AuditPage(): ReactNode {
  return (
    <Panel title="Audit">
      <p />
    </Panel>
  )
}
