// What the pointer rests on is marked wherever else it stands on the page, so that one sees the same address again.

import { useEffect } from "react"

const mark = "same"

export function useSameMarks(): void {
  useEffect(() => {
    let marked: readonly HTMLElement[] = []
    let shown: string | undefined
    const onOver = ({ target }: PointerEvent): void => {
      const value = target instanceof Element ? target.closest<HTMLElement>("[data-copy]")?.dataset["copy"] : undefined
      if (value === shown) return
      shown = value
      for (const element of marked) element.classList.remove(mark)
      const same =
        value === undefined ? [] : [...document.querySelectorAll<HTMLElement>(`[data-copy="${CSS.escape(value)}"]`)]
      marked = same.length > 1 ? same : []
      for (const element of marked) element.classList.add(mark)
    }
    addEventListener("pointerover", onOver)
    return () => removeEventListener("pointerover", onOver)
  }, [])
}
