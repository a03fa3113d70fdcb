// Leases, dead blocks, and what an operator does to workers.

import type { ReactNode } from "react"
import { Panel } from "../../parts/panel"

export function WorkPage(): ReactNode {
  return (
    <Panel title="Work">
      <p />
    </Panel>
  )
}
