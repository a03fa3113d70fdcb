// Holds the one act that is open, above all sections: what it was opened from may be gone before it is done.

import { type ReactNode, useCallback, useRef, useState } from "react"
import type { Act } from "./act"
import { ActContext } from "./act-context"
import { ActDialog } from "./act-dialog"
import { returnFocus } from "./return-focus"

export function ActProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [act, setAct] = useState<Act>()
  const opener = useRef<Element | null>(null)
  const open = useCallback((next: Act): void => {
    opener.current = document.activeElement
    setAct(next)
  }, [])
  const close = useCallback((): void => {
    setAct(undefined)
    returnFocus(opener.current)
  }, [])
  return (
    <ActContext value={open}>
      {children}
      {act && <ActDialog act={act} onClose={close} />}
    </ActContext>
  )
}
