// Heights by worker.

import type { ReactNode } from "react"
import { Panel } from "../../parts/panel"

export function MapPage(): ReactNode {
  return (
    <Panel title="Map">
      <p />
    </Panel>
  )
}
