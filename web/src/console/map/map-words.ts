// What the map says in words, and how large it is.

import { formatNumber } from "../../parts/format-number"
import type { MapShape } from "./draw-map"
import { headGap } from "./draw-map"
import { type MapState, stateWords } from "./map-layer"
import type { MapView } from "./map-view"

export const rangeWords = ({ from, to }: MapView): string =>
  to - from <= 1 ? formatNumber(from) : `${formatNumber(from)} – ${formatNumber(to - 1)}`

export const spotWords = (worker: string, range: MapView, state: MapState | undefined): string =>
  `${worker} · ${rangeWords(range)} · ${state ? stateWords[state] : "unknown"}`

interface MapRoom {
  readonly width: number
  readonly rows: number
  readonly isSmall: boolean
  readonly hasHead: boolean
}

const top = 18
const axis = 28

/** On a phone a name stands above its bar. */
export function shapeOf({ width, rows, isSmall, hasHead }: MapRoom): MapShape {
  const [pitch, bar, lift] = isSmall ? [40, 15, 21] : [26, 17, 4]
  const head = hasHead ? headGap + (isSmall ? 40 : 88) : 0
  return {
    width,
    height: top + Math.max(1, rows) * pitch + axis,
    plot: Math.max(1, width - head),
    top,
    pitch,
    bar,
    lift,
  }
}

/** Undefined where one worker has nothing from the start on. */
export function lowestHeight(heights: readonly (string | null)[] | undefined): number | undefined {
  if (!heights || heights.length === 0 || heights.includes(null)) return undefined
  return Math.min(...heights.map(Number))
}
