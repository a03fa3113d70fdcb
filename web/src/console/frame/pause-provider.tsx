// One switch for all refreshing of the console: no timer asks and no stream is read while it is off.

import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useMemo, useState } from "react"
import { PauseContext } from "../../live/pause-context"

export function PauseProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const queries = useQueryClient()
  const [isPaused, setState] = useState(false)
  const pause = useMemo(
    () => ({
      isPaused,
      setPaused: (next: boolean): void => {
        setState(next)
        if (!next) void queries.invalidateQueries()
      },
    }),
    [isPaused, queries],
  )
  return <PauseContext value={pause}>{children}</PauseContext>
}
