// What the pointer and the keys do to the map. The component keeps the state; here is what follows from an event.

import { headGap, type MapShape } from "./draw-map"
import type { MapLayer } from "./map-layer"
import { clampView, isWhole, type MapView, panView, zoomView } from "./map-view"

interface Pointed {
  /** Of the rows; it may lie beside them. */
  readonly row: number
  readonly height: number
  readonly isHead: boolean
}

export function pointedAt(
  { x, y }: { readonly x: number; readonly y: number },
  { shape, view, head }: { readonly shape: MapShape; readonly view: MapView; readonly head: MapLayer | undefined },
): Pointed {
  const row = Math.floor((y - shape.top) / shape.pitch)
  const left = shape.plot + headGap
  if (head && x > shape.plot + headGap / 2) {
    const share = Math.min(0.999, Math.max(0, (x - left) / (shape.width - left)))
    return { row, height: Math.floor(head.from + share * (head.to - head.from)), isHead: true }
  }
  const share = Math.min(0.9999, Math.max(0, x / shape.plot))
  return { row, height: view.from + share * (view.to - view.from), isHead: false }
}

/** Undefined: the page may have it, since nothing is left to zoom out of. */
export function viewAfterWheel(
  { deltaX, deltaY, deltaMode }: Pick<WheelEvent, "deltaX" | "deltaY" | "deltaMode">,
  { view, bounds, shape, at }: { view: MapView; bounds: MapView; shape: MapShape; at: number },
): MapView | undefined {
  const lines = deltaMode === 1 ? 16 : 1
  if (Math.abs(deltaX) > Math.abs(deltaY))
    return panView(view, bounds, (deltaX * lines * (view.to - view.from)) / shape.plot)
  if (deltaY > 0 && isWhole(view, bounds)) return undefined
  return zoomView(view, bounds, { at, by: Math.exp(Math.max(-120, Math.min(120, deltaY * lines)) * 0.003) })
}

const step = 0.08

/** Undefined: not a key of the map. */
export function viewAfterKey(key: string, view: MapView, bounds: MapView, at: number): MapView | undefined {
  const span = view.to - view.from
  switch (key) {
    case "+":
    case "=":
      return zoomView(view, bounds, { at, by: 0.5 })
    case "-":
      return zoomView(view, bounds, { at, by: 2 })
    case "0":
    case "Home":
      return bounds
    case "End":
      return clampView({ from: bounds.to - span, to: bounds.to }, bounds)
    case "PageUp":
      return panView(view, bounds, -span * 0.8)
    case "PageDown":
      return panView(view, bounds, span * 0.8)
    default:
      return undefined
  }
}

/** One bucket on, and the view with it where it would leave. */
export function cursorAfterKey(
  key: string,
  cursor: { readonly row: number; readonly height: number },
  { view, bounds, rows, bucket }: { view: MapView; bounds: MapView; rows: number; bucket: number },
): { readonly row: number; readonly height: number; readonly view: MapView } | undefined {
  const { row, height } = cursor
  const span = view.to - view.from
  const move = (next: number) => {
    const to = Math.min(bounds.to - 1, Math.max(bounds.from, next))
    const shifted =
      to < view.from
        ? panView(view, bounds, to - view.from - span * step)
        : to >= view.to
          ? panView(view, bounds, to - view.to + span * step)
          : view
    return { row, height: to, view: shifted }
  }
  switch (key) {
    case "ArrowUp":
      return { row: Math.max(0, row - 1), height, view }
    case "ArrowDown":
      return { row: Math.min(rows - 1, row + 1), height, view }
    case "ArrowLeft":
      return move(height - bucket)
    case "ArrowRight":
      return move(height + bucket)
    default:
      return undefined
  }
}
