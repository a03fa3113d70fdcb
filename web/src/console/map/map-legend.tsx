// What the shapes of the map mean.

import type { ReactNode } from "react"
import styles from "./map-legend.module.css"

const shapes = [
  ["done", "complete"],
  ["active", "being worked on"],
  ["partial", "partly there"],
  ["missing", "missing"],
  ["failed", "failed"],
  ["dead", "dead"],
  ["skipped", "skipped"],
] as const

export function MapLegend(): ReactNode {
  return (
    <ul className={styles.legend} aria-label="Legend">
      {shapes.map(([shape, words]) => (
        <li key={shape}>
          <span className={styles[shape]} aria-hidden="true" />
          {words}
        </li>
      ))}
    </ul>
  )
}
