// Draws at most once for each frame of the screen, with what is known then.

import { useCallback, useEffect, useRef } from "react"

export function useFrames(draw: () => void): () => void {
  const newest = useRef(draw)
  newest.current = draw
  const waiting = useRef(0)
  useEffect(() => () => cancelAnimationFrame(waiting.current), [])
  return useCallback((): void => {
    waiting.current ||= requestAnimationFrame(() => {
      waiting.current = 0
      newest.current()
    })
  }, [])
}
