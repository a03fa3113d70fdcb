// The stretch of heights that the map shows, and how it changes. Pure; heights are below 2^53.

export interface MapView {
  readonly from: number
  readonly to: number
}

const fewestHeights = 8

/** As wide as asked, within the bounds. */
export function clampView({ from, to }: MapView, bounds: MapView): MapView {
  const whole = Math.max(1, bounds.to - bounds.from)
  const span = Math.min(whole, Math.max(Math.min(fewestHeights, whole), to - from))
  const middle = (from + to) / 2
  const first = Math.min(bounds.to - span, Math.max(bounds.from, middle - span / 2))
  return { from: first, to: first + span }
}

/** What is at `height` stays where it is. */
export function zoomView(view: MapView, bounds: MapView, { at, by }: { at: number; by: number }): MapView {
  return clampView({ from: at - (at - view.from) * by, to: at + (view.to - at) * by }, bounds)
}

export const panView = (view: MapView, bounds: MapView, heights: number): MapView =>
  clampView({ from: view.from + heights, to: view.to + heights }, bounds)

export const isWhole = (view: MapView, bounds: MapView): boolean => view.from <= bounds.from && view.to >= bounds.to
