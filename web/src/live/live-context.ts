// What the stream tells, for the components that show it.

import { createContext, use } from "react"
import { type LiveState, nothingYet } from "./live-state"

export const LiveContext = createContext<LiveState>(nothingYet)

export const useLive = (): LiveState => use(LiveContext)
