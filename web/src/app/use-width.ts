// How wide an element is, in CSS pixels; zero until it is known.

import { type RefObject, useLayoutEffect, useState } from "react"

export function useWidth(of: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = of.current
    if (!element) return
    const watch = new ResizeObserver(() => setWidth(element.clientWidth))
    watch.observe(element)
    return () => watch.disconnect()
  }, [of])
  return width
}
