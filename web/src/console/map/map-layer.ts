// An answer of the map as stretches of one state, made once for each answer: drawing only looks them up.

import type { Answer } from "../../data/api-query"
import type { MapView } from "./map-view"

export type MapAnswer = Answer<"/ops/map">
export type MapState = "x" | "f" | "m" | "p" | "a" | "s" | "d"

/** Three numbers for each stretch: from, to, and where the state is in `mapStates`. */
interface LayerRow {
  readonly worker: string
  readonly runs: Float64Array
}

export interface MapLayer extends MapView {
  readonly rows: readonly LayerRow[]
  readonly buckets: number
}

/** In the order in which they are drawn: what is worse covers what is better. */
export const mapStates: readonly MapState[] = ["d", "s", "a", "m", "p", "f", "x"]

export const stateWords: Readonly<Record<MapState, string>> = {
  d: "complete",
  s: "complete, with skipped blocks",
  a: "being worked on",
  p: "partly there",
  m: "missing",
  f: "failed, and tried again",
  x: "dead: it waits for you",
}

export function layerOf({ from, to, buckets, workers }: MapAnswer): MapLayer {
  const [first, end] = [Number(from), Number(to)]
  const edge = (at: number): number => first + Math.floor(((end - first) * at) / Math.max(1, buckets))
  const rows = workers.map(({ worker, states }) => {
    const runs: number[] = []
    for (let at = 0; at < states.length; ) {
      let next = at + 1
      while (next < states.length && states[next] === states[at]) next++
      runs.push(edge(at), edge(next), mapStates.indexOf(states[at] as MapState))
      at = next
    }
    return { worker, runs: Float64Array.from(runs) }
  })
  return { from: first, to: end, buckets, rows }
}

/** The bucket of a height: what a click opens. */
export function bucketAt({ from, to, buckets }: MapLayer, height: number): MapView {
  const edge = (at: number): number => from + Math.floor(((to - from) * at) / buckets)
  const at = Math.min(
    buckets - 1,
    Math.max(0, Math.floor(((Math.floor(height) - from + 1) * buckets - 1) / (to - from))),
  )
  return { from: edge(at), to: edge(at + 1) }
}

export function stateAt({ rows }: MapLayer, worker: string, height: number): MapState | undefined {
  const runs = rows.find((row) => row.worker === worker)?.runs
  if (!runs) return undefined
  for (let at = 0; at < runs.length; at += 3)
    if (runs[at]! <= height && height < runs[at + 1]!) return mapStates[runs[at + 2]!]
  return undefined
}
