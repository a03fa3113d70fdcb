// Whether the page stands still on purpose.

import { createContext, use } from "react"

export interface Pause {
  readonly isPaused: boolean
  setPaused(isPaused: boolean): void
}

export const PauseContext = createContext<Pause>({ isPaused: false, setPaused: () => undefined })

export const usePause = (): Pause => use(PauseContext)
