// The chain whose pages are shown.

import { createContext, use } from "react"

export const ChainContext = createContext<string | undefined>(undefined)

export function useChain(): string {
  const chain = use(ChainContext)
  if (chain === undefined) throw new Error("there is no chain here: wrap the page in ChainShell")
  return chain
}
