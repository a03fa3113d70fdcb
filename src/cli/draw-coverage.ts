// The coverage bar: start to head in a row of cells. A cell is full only when every height of it is stored and
// derived, so a gap of one block shows. Pure.

import { rawIngester } from "../coordination/raw-ingester.js"
import { countHeights, intersect, type RangeSet, rangeSet, union } from "../domain/range-set.js"
import type { ChainStatus } from "../status/chain-status.js"
import type { Paint } from "./paint.js"

const marks = { stored: "█", derivable: "▓", part: "▒", none: "░", dead: "✗" } as const

type Cell = { readonly kind: keyof typeof marks; readonly live: boolean }

type Drawn = Pick<ChainStatus, "start" | "head" | "liveFrom" | "workers" | "deadBlocks">

export function drawCoverage(status: Drawn, { cells, paint }: { cells: number; paint: Paint }): string {
  let out = ""
  let run: { cell: Cell; text: string } | undefined
  for (const cell of coverageCells(status, cells)) {
    if (run && run.cell.kind === cell.kind && run.cell.live === cell.live) run.text += marks[cell.kind]
    else {
      if (run) out += paintRun(run, paint)
      run = { cell, text: marks[cell.kind] }
    }
  }
  return run ? out + paintRun(run, paint) : out
}

function coverageCells({ start, head, liveFrom, workers, deadBlocks }: Drawn, cells: number): readonly Cell[] {
  const blocks = head === null ? 0 : head + 1 - start
  const ingester = workers.find(({ worker }) => worker === rawIngester)
  const raw = ingester ? doneBy(ingester) : []
  const done = workers.map(doneBy).reduce(intersect, raw)
  const underWay = rangeSet(ingester?.unfinished.map(({ range }) => range) ?? [])
  return Array.from({ length: cells }, (_, i): Cell => {
    if (blocks <= 0) return { kind: "none", live: false }
    const from = start + Math.floor((i * blocks) / cells)
    const to = Math.max(from + 1, start + Math.floor(((i + 1) * blocks) / cells))
    const cell = [{ from, to }]
    const stored = countHeights(intersect(raw, cell))
    const derived = countHeights(intersect(done, cell))
    const live = liveFrom !== null && to > liveFrom && stored > 0
    if (deadBlocks.some(({ height }) => height >= from && height < to)) return { kind: "dead", live: false }
    if (derived === to - from) return { kind: "stored", live }
    if (stored === to - from) return { kind: "derivable", live }
    return { kind: stored > 0 || intersect(underWay, cell).length > 0 ? "part" : "none", live }
  })
}

const doneBy = ({ coverage, skipped }: { coverage: RangeSet; skipped: RangeSet }): RangeSet => union(coverage, skipped)

function paintRun({ cell: { kind, live }, text }: { cell: Cell; text: string }, paint: Paint): string {
  if (kind === "dead") return paint.bad(text)
  if (live && kind !== "derivable") return paint.live(text)
  if (kind === "stored") return paint.good(text)
  return kind === "part" || kind === "derivable" ? paint.busy(text) : paint.dim(text)
}
