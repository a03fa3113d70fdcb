// Where a rollback or a halt is said. What says it is loaded when there is one.

import { lazy, type ReactNode, Suspense } from "react"
import { useLive } from "../live/live-context"

const LiveNotice = lazy(async () => ({ default: (await import("./live-notice")).LiveNotice }))

export function LiveRegion(): ReactNode {
  const { rollback, halted } = useLive()
  return (
    <div role="status">
      {(rollback || halted !== undefined) && (
        <Suspense>
          <LiveNotice />
        </Suspense>
      )}
    </div>
  )
}
