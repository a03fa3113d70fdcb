// The keys, and the list of them, which is loaded when it is asked for.

import { lazy, type ReactNode, Suspense } from "react"
import { useKeys } from "./use-keys"

const KeyList = lazy(async () => ({ default: (await import("./key-list")).KeyList }))

export function Keys(): ReactNode {
  const [isOpen, close] = useKeys()
  return isOpen ? (
    <Suspense>
      <KeyList onClose={close} />
    </Suspense>
  ) : null
}
