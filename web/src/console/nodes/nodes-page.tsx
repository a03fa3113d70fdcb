// Providers and processes.

import type { ReactNode } from "react"
import { Panel } from "../../parts/panel"

export function NodesPage(): ReactNode {
  return (
    <Panel title="Nodes">
      <p />
    </Panel>
  )
}
