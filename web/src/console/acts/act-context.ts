// Opens the dialog of an act, from wherever in the console.

import { createContext, use } from "react"
import type { Act } from "./act"

export const ActContext = createContext<(act: Act) => void>(() => undefined)

export const useOpenAct = (): ((act: Act) => void) => use(ActContext)
