// The workers of a chain in few lines: the dependency graph by layers, from raw downwards, and in a layer those in the
// same state on one line. A worker that stands out has its own line. Pure.

import { rawIngester } from "../coordination/raw-ingester.js"
import type { WorkerStatus } from "../status/chain-status.js"
import { formatCount, formatHeight, formatPercent, wrap } from "./format-values.js"
import type { Paint } from "./paint.js"
import { workerFlags } from "./worker-flags.js"

interface WorkerGroup {
  readonly layer: number
  readonly names: readonly string[]
  readonly percent: number
  readonly lag: number | null
  readonly blocksPerSecond: number
  readonly flags: readonly string[]
  readonly isBad: boolean
}

/** Active leases come and go, and do not describe a worker's state. */
const passing = / active$/

function groupWorkers(workers: readonly WorkerStatus[]): readonly WorkerGroup[] {
  const layers = layersOf(workers)
  const groups = new Map<string, WorkerGroup>()
  for (const worker of workers) {
    if (worker.worker === rawIngester) continue
    const flags = workerFlags(worker).filter(({ text }) => !passing.test(text))
    const layer = layers.get(worker.worker)!
    const key = JSON.stringify([layer, worker.percent, worker.lag, flags.map(({ text }) => text)])
    const known = groups.get(key)
    groups.set(key, {
      layer,
      names: [...(known?.names ?? []), shortName(worker.worker)],
      percent: worker.percent,
      lag: worker.lag,
      blocksPerSecond: Math.max(known?.blocksPerSecond ?? 0, worker.blocksPerSecond.last10s),
      flags: flags.map(({ text }) => text),
      isBad: flags.some(({ kind }) => kind === "bad"),
    })
  }
  return [...groups.values()].sort((a, b) => a.layer - b.layer || b.percent - a.percent)
}

const percentWidth = 8
/** What stands before the names: from raw, and from layer to layer. */
const arrows = { first: "raw → ", next: "    → ", none: "      " } as const

/** Lines of at most this width. */
export function drawWorkers(
  workers: readonly WorkerStatus[],
  { width, paint }: { width: number; paint: Paint },
): readonly string[] {
  const figures = width >= 90 ? 40 : 30
  const nameWidth = width - figures - 2 - arrows.none.length
  let layer = 0
  return groupWorkers(workers).flatMap((group) => {
    const arrow = group.layer === layer ? arrows.none : group.layer === 1 ? arrows.first : arrows.next
    layer = group.layer
    const said = figuresOf(group, figures)
    const look = group.isBad ? paint.bad : group.flags.length > 0 ? paint.busy : (text: string) => text
    const names = wrap(group.names.join(", "), nameWidth)
    const rows = Math.max(names.length, said.length)
    return Array.from({ length: rows }, (_, i) => {
      const left = `${paint.dim(i === 0 ? arrow : arrows.none)}${(names[i] ?? "").padEnd(nameWidth)}`
      return `${left}  ${look(said[i] ?? "")}`.trimEnd()
    })
  })
}

/** Figures first, what stands out below them where it does not fit beside. */
function figuresOf({ percent, lag, blocksPerSecond, flags }: WorkerGroup, width: number): readonly string[] {
  const behind = lag === null ? "" : lag === 0 ? "at the head" : `lag ${formatHeight(lag)}`
  const rate = percent === 100 ? "" : `${formatCount(blocksPerSecond)}/s`
  // What stands out matters more than how fast it goes.
  const parts = [...flags, behind, ...(flags.length === 0 ? [rate] : [])].filter((part) => part !== "")
  const beside = wrapParts(parts, width - percentWidth - 2)
  return [beside[0] ?? "", ...beside.slice(1)].map(
    (line, i) => `${(i === 0 ? formatPercent(percent) : "").padStart(percentWidth)}  ${line}`,
  )
}

/** Broken between parts only. */
const wrapParts = (parts: readonly string[], width: number): readonly string[] =>
  wrap(parts.map((part) => part.replaceAll(" ", "\u00a0")).join(", "), width).map((line) =>
    line.replaceAll("\u00a0", " "),
  )

const shortName = (worker: string): string => worker.replace(/_worker$/, "")

/** How many steps from raw; one more than the furthest of what it reads. */
function layersOf(workers: readonly WorkerStatus[]): ReadonlyMap<string, number> {
  const byName = new Map(workers.map((worker) => [worker.worker, worker]))
  const layers = new Map<string, number>([[rawIngester, 0]])
  const layerOf = (name: string, path: readonly string[]): number => {
    const known = layers.get(name)
    if (known !== undefined) return known
    const read = (byName.get(name)?.dependencies ?? []).filter(
      (dependency) => byName.has(dependency) && !path.includes(dependency),
    )
    const layer = 1 + Math.max(0, ...read.map((dependency) => layerOf(dependency, [...path, name])))
    layers.set(name, layer)
    return layer
  }
  for (const { worker } of workers) layerOf(worker, [])
  return layers
}
