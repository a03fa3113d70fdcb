// Stops all refreshing, so that what one reads stands still.

import type { ReactNode } from "react"
import { usePause } from "../../live/pause-context"
import styles from "./pause-button.module.css"

export function PauseButton(): ReactNode {
  const { isPaused, setPaused } = usePause()
  return (
    <button type="button" className={styles.pause} aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {isPaused ? <path d="M4 2.5v11l9-5.5z" /> : <path d="M3.5 2.5h3v11h-3zM9.5 2.5h3v11h-3z" />}
      </svg>
      <span>{isPaused ? "Paused" : "Pause"}</span>
    </button>
  )
}
