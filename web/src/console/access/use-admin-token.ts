// The admin token, kept for this tab alone until it is closed.

import { useCallback, useSyncExternalStore } from "react"

const key = "tidemark-admin-token"
const changed = "tidemark-admin-token"

export function readAdminToken(): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

function subscribe(listener: () => void): () => void {
  addEventListener(changed, listener)
  return () => removeEventListener(changed, listener)
}

export function useAdminToken(): readonly [string | undefined, (token: string | undefined) => void] {
  const token = useSyncExternalStore(subscribe, readAdminToken)
  const set = useCallback((next: string | undefined): void => {
    try {
      if (next === undefined) sessionStorage.removeItem(key)
      else sessionStorage.setItem(key, next)
    } catch {
      // Storage is blocked: the token cannot be kept.
    }
    dispatchEvent(new Event(changed))
  }, [])
  return [token, set]
}
