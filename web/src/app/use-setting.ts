// What a person chose, kept in the browser and the same in all of its tabs.

import { useCallback, useSyncExternalStore } from "react"

const changed = "tidemark-setting"
const keyOf = (name: string): string => `tidemark-${name}`

function read(name: string, fallback: string): string {
  try {
    return localStorage.getItem(keyOf(name)) ?? fallback
  } catch {
    return fallback
  }
}

function subscribe(listener: () => void): () => void {
  addEventListener("storage", listener)
  addEventListener(changed, listener)
  return () => {
    removeEventListener("storage", listener)
    removeEventListener(changed, listener)
  }
}

export function useSetting(name: string, fallback: string): readonly [string, (value: string) => void] {
  const value = useSyncExternalStore(subscribe, () => read(name, fallback))
  const set = useCallback(
    (next: string): void => {
      try {
        localStorage.setItem(keyOf(name), next)
      } catch {
        // Storage is blocked: the choice cannot be kept.
      }
      dispatchEvent(new Event(changed))
    },
    [name],
  )
  return [value, set]
}
