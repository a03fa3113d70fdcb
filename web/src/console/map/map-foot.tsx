// Below the map: what is at the pointer, what the shapes mean, and how far in one is.

import type { ReactNode } from "react"
import styles from "./coverage-map.module.css"
import { MapLegend } from "./map-legend"

interface MapFootProps {
  readonly words: string | undefined
  readonly isSpoken: boolean
  /** Below one: nearer. */
  readonly onZoom: (by: number) => void
  readonly onAll: () => void
  readonly onHead: () => void
}

export function MapFoot({ words, isSpoken, onZoom, onAll, onHead }: MapFootProps): ReactNode {
  return (
    <div className={styles.foot}>
      <span className={styles.spot} aria-live={isSpoken ? "polite" : "off"}>
        {words ?? "Point at a place to see what is there"}
      </span>
      <MapLegend />
      <span className={styles.zoom}>
        <button type="button" onClick={() => onZoom(0.4)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => onZoom(2.5)} aria-label="Zoom out">
          −
        </button>
        <button type="button" onClick={onAll}>
          All
        </button>
        <button type="button" onClick={onHead}>
          Head
        </button>
      </span>
    </div>
  )
}
