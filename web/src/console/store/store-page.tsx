// How large the store is, and when it is full.

import type { ReactNode } from "react"
import { Panel } from "../../parts/panel"

export function StorePage(): ReactNode {
  return (
    <Panel title="Store">
      <p />
    </Panel>
  )
}
