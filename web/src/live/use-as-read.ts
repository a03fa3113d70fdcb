// A thing as it was when the page was opened. A rollback may put another in its place, or nothing: what is read stays, and the
// page says so.

import { useState } from "react"

interface AsRead<T> {
  readonly shown: T | undefined
  /** What has taken its place since. */
  readonly other: T | undefined
  /** Shows that instead. */
  readonly showOther: () => void
}

/** Things with the same id are the same thing, however their other fields change. */
export function useAsRead<T>(now: T | undefined, idOf: (thing: T) => string): AsRead<T> {
  const [shown, setShown] = useState(now)
  const isSame = now !== undefined && (shown === undefined || idOf(shown) === idOf(now))
  if (isSame && shown !== now) setShown(now)
  return {
    shown: isSame ? now : shown,
    other: isSame ? undefined : now,
    showOther: () => setShown(now),
  }
}
