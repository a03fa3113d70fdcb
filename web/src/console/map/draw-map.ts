// Draws the map: a row for each worker, the head magnified at its right. One path for each state, so that a frame costs as much
// as there are stretches in view, whatever the store has.

import { type MapLayer, mapStates } from "./map-layer"
import type { MapTones } from "./map-tones"
import type { MapView } from "./map-view"

export interface MapShape {
  readonly width: number
  readonly height: number
  /** Of the heights; the head follows behind a gap. */
  readonly plot: number
  readonly top: number
  readonly pitch: number
  readonly bar: number
  /** Above the bar, for a name. */
  readonly lift: number
}

export interface MapPicture {
  readonly shape: MapShape
  readonly view: MapView
  readonly bounds: MapView
  readonly workers: readonly string[]
  /** The whole chain below, and the stretch in view above it. */
  readonly layers: readonly MapLayer[]
  readonly head: MapLayer | undefined
  readonly watermark: number | undefined
  readonly rollbacks: readonly number[]
  readonly cursor: { readonly row: number; readonly height: number } | undefined
  readonly selected: MapView | undefined
}

export const headGap = 12
const grouped = new Intl.NumberFormat("en-US")

export function drawMap(context: CanvasRenderingContext2D, picture: MapPicture, tones: MapTones): void {
  const { shape, view, layers, head, workers } = picture
  const scale = shape.plot / (view.to - view.from)
  context.clearRect(0, 0, shape.width, shape.height)
  drawFrames(context, picture, tones)
  for (const [at, layer] of layers.entries()) {
    // What the next one knows better is left to it.
    const hidden = layers[at + 1]
    drawLayer(context, layer, { left: 0, plot: shape.plot, view, scale, shape, workers, hidden }, tones)
  }
  if (head && head.to > head.from) {
    const plot = shape.width - shape.plot - headGap
    const left = shape.plot + headGap
    const all = { left, plot, view: head, scale: plot / (head.to - head.from), shape, workers, hidden: undefined }
    drawLayer(context, head, all, tones)
  }
  drawMarks(context, picture, tones, scale)
  drawAxis(context, picture, tones, scale)
}

/** A frame around what is there or not: the outline of what is missing. */
function drawFrames(
  context: CanvasRenderingContext2D,
  { shape, workers, head }: MapPicture,
  { line, fills }: MapTones,
) {
  context.strokeStyle = line
  context.fillStyle = fills.m
  context.lineWidth = 1
  for (let row = 0; row < workers.length; row++) {
    const y = shape.top + row * shape.pitch + shape.lift
    context.strokeRect(0.5, y + 0.5, shape.plot - 1, shape.bar - 1)
    if (head) {
      const left = shape.plot + headGap
      context.strokeRect(left + 0.5, y + 0.5, shape.width - left - 1, shape.bar - 1)
    }
  }
}

interface Place {
  readonly left: number
  readonly plot: number
  readonly view: MapView
  readonly scale: number
  readonly shape: MapShape
  readonly workers: readonly string[]
  readonly hidden: MapLayer | undefined
}

function drawLayer(context: CanvasRenderingContext2D, layer: MapLayer, place: Place, { fills }: MapTones): void {
  const { left, plot, view, scale, shape, workers, hidden } = place
  const paths = mapStates.map(() => new Path2D())
  const used = new Uint8Array(mapStates.length)
  for (const { worker, runs } of layer.rows) {
    const row = workers.indexOf(worker)
    if (row < 0) continue
    const y = shape.top + row * shape.pitch + shape.lift
    for (let at = firstIn(runs, view.from); at < runs.length; at += 3) {
      const [from, to, state] = [runs[at]!, runs[at + 1]!, runs[at + 2]!]
      if (from >= view.to) break
      if (hidden && from >= hidden.from && to <= hidden.to) continue
      const x = Math.max(0, Math.floor((from - view.from) * scale))
      const end = Math.min(plot, Math.max(x + 1, Math.round((to - view.from) * scale)))
      if (end <= x) continue
      used[state] = 1
      // The frame of what is missing stays; a dead block stands out of its row, and is never too thin to be seen.
      if (state === 3) paths[state]!.rect(left + x, y + 1, end - x, shape.bar - 2)
      else if (state === 6) {
        const middle = Math.min(plot - 2, Math.max(2, (x + end) / 2))
        const width = Math.max(4, end - x)
        paths[state]!.rect(left + middle - width / 2, y - 2, width, shape.bar + 4)
        paths[state]!.moveTo(left + middle - 5, y - 5)
        paths[state]!.lineTo(left + middle + 5, y - 5)
        paths[state]!.lineTo(left + middle, y + 2)
      } else paths[state]!.rect(left + x, y, Math.max(state === 5 ? 3 : 1, end - x), shape.bar)
    }
  }
  for (const [at, path] of paths.entries()) {
    if (!used[at]) continue
    context.fillStyle = fills[mapStates[at]!]
    context.fill(path)
  }
}

/** Where the first stretch that reaches beyond `from` begins. */
function firstIn(runs: Float64Array, from: number): number {
  let low = 0
  let high = runs.length / 3
  while (low < high) {
    const middle = (low + high) >> 1
    if (runs[middle * 3 + 1]! > from) high = middle
    else low = middle + 1
  }
  return low * 3
}

function drawMarks(context: CanvasRenderingContext2D, picture: MapPicture, tones: MapTones, scale: number): void {
  const { shape, view, watermark, rollbacks, cursor, selected, workers } = picture
  const bottom = shape.top + workers.length * shape.pitch
  const xOf = (height: number): number => Math.round((height - view.from) * scale)
  context.lineWidth = 1
  for (const height of rollbacks) {
    const x = xOf(height)
    if (x < 0 || x > shape.plot) continue
    context.fillStyle = tones.amber
    context.fillRect(x, shape.top - 4, 1, bottom - shape.top + 4)
    context.beginPath()
    context.moveTo(x + 5, shape.top - 12)
    context.lineTo(x - 4, shape.top - 8)
    context.lineTo(x + 5, shape.top - 4)
    context.fill()
  }
  if (watermark !== undefined && watermark + 1 >= view.from && watermark + 1 <= view.to) {
    const x = Math.min(shape.plot - 1, xOf(watermark + 1)) + 0.5
    context.strokeStyle = tones.ink
    context.setLineDash([3, 3])
    context.beginPath()
    context.moveTo(x, shape.top - 6)
    context.lineTo(x, bottom + 2)
    context.stroke()
    context.setLineDash([])
  }
  if (selected) {
    const [x, end] = [xOf(selected.from), xOf(selected.to)]
    context.globalAlpha = 0.18
    context.fillStyle = tones.wash
    context.fillRect(x, shape.top - 6, end - x, bottom - shape.top + 6)
    context.globalAlpha = 1
    context.strokeStyle = tones.wash
    context.strokeRect(x + 0.5, shape.top - 5.5, Math.max(1, end - x - 1), bottom - shape.top + 5)
  }
  if (cursor) {
    const y = shape.top + cursor.row * shape.pitch + shape.lift
    const x = xOf(cursor.height)
    const width = Math.max(3, scale)
    context.strokeStyle = tones.ink
    context.lineWidth = 2
    context.strokeRect(x - 1, y - 3, width + 2, shape.bar + 6)
  }
}

function drawAxis(context: CanvasRenderingContext2D, picture: MapPicture, tones: MapTones, scale: number): void {
  const { shape, view, bounds, watermark, workers, head } = picture
  const y = shape.top + workers.length * shape.pitch + 18
  context.font = tones.font
  context.fillStyle = tones.soft
  const text = (words: string, x: number, align: CanvasTextAlign): void => {
    context.textAlign = align
    context.fillText(words, x, y)
  }
  const first = grouped.format(Math.floor(view.from))
  const last = grouped.format(Math.max(Math.floor(view.from), Math.ceil(view.to) - 1))
  const [start, end] = [context.measureText(first).width, context.measureText(last).width]
  text(first, 0, "left")
  text(last, shape.plot, "right")
  if (head) text(shape.lift > 10 ? "head" : `last ${head.to - head.from}`, shape.width, "right")
  if (watermark === undefined || watermark < bounds.from) return
  const words = `watermark ${grouped.format(watermark)}`
  const half = context.measureText(words).width / 2
  const at = (watermark + 1 - view.from) * scale
  if (at < 0 || at > shape.plot) return
  const [low, high] = [start + 16 + half, shape.plot - end - 16 - half]
  if (low > high) return
  context.fillStyle = tones.ink
  text(words, Math.min(high, Math.max(low, at)), "center")
}
