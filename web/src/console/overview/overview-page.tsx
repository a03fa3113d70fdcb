// How far every worker is, and how it came there.

import type { ReactNode } from "react"
import { Panel } from "../../parts/panel"

export function OverviewPage(): ReactNode {
  return (
    <Panel title="Overview">
      <p />
    </Panel>
  )
}
