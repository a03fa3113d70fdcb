// Does an act, and has everything asked for again that it may have changed.

import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import type { Act, ActProgress, ActValues } from "./act"

export type ActPhase =
  | { readonly kind: "asking" }
  | { readonly kind: "running"; readonly progress?: ActProgress | undefined; readonly isStopping?: boolean }
  | { readonly kind: "failed"; readonly error: Error; readonly progress?: ActProgress | undefined }
  | { readonly kind: "done"; readonly words: string }

const mayChange = new Set<unknown>(["ops", "status", "admin"])

export function useAct(act: Act) {
  const queries = useQueryClient()
  const [phase, setPhase] = useState<ActPhase>({ kind: "asking" })
  const stopping = useRef<AbortController>(undefined)
  // Closed while it runs: nothing more is asked.
  useEffect(() => () => stopping.current?.abort(), [])
  const start = (values: ActValues): void => {
    const controller = new AbortController()
    stopping.current = controller
    let progress: ActProgress | undefined
    const onProgress = (next: ActProgress): void => {
      progress = next
      setPhase((now) => ({ ...now, kind: "running", progress: next }))
    }
    setPhase({ kind: "running" })
    act
      .run(values, { signal: controller.signal, onProgress })
      .then(
        (words) => setPhase({ kind: "done", words }),
        (error: Error) => setPhase({ kind: "failed", error, progress }),
      )
      // After a failure too: some of it may have been done.
      .finally(() => queries.invalidateQueries({ predicate: ({ queryKey }) => mayChange.has(queryKey[0]) }))
  }
  const stop = (): void => {
    stopping.current?.abort()
    setPhase((now) => (now.kind === "running" ? { ...now, isStopping: true } : now))
  }
  return { phase, start, stop }
}
