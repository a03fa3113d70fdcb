// One clock for all ages on a page, so that they change together and a page has one timer.

import { createContext, type ReactNode, use, useEffect, useState } from "react"

const NowContext = createContext(0)

/** In milliseconds, a second old at most. */
export const useNow = (): number => use(NowContext)

export function NowProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return <NowContext value={now}>{children}</NowContext>
}
