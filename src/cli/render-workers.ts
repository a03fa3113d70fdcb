// `tidemark workers list` as people see it: the dependency graph as a tree from raw, a line for each worker. One that
// reads several others stands below the first of them; the rest are named under it. Pure.

import { rawIngester } from "../coordination/raw-ingester.js"
import { printable } from "../platform/printable.js"
import type { ChainStatus, WorkerStatus } from "../status/chain-status.js"
import { formatCount, formatHeight, formatPercent, shorten } from "./format-values.js"
import { createPaint } from "./paint.js"
import { workerFlags } from "./worker-flags.js"

interface TreeLine {
  readonly worker: WorkerStatus
  /** What stands before its name, and before a line below it. */
  readonly branch: string
  readonly trunk: string
  /** Dependencies beside the one it hangs from. */
  readonly also: readonly string[]
}

const columnWidths = { done: 9, watermark: 13, lag: 9, rate: 9 } as const

export function renderWorkers(
  { name, workers }: Pick<ChainStatus, "name" | "workers">,
  { columns, colour }: { columns: number; colour: boolean },
): string {
  const paint = createPaint(colour)
  if (workers.length === 0) return `${paint.strong(name)}  no worker has begun\n`
  const lines = workerTree(workers)
  const nameWidth = Math.max(6, ...lines.map(({ branch, worker }) => branch.length + worker.worker.length))
  const { done, watermark, lag, rate } = columnWidths
  const numbers = (cells: readonly [string, string, string, string]): string =>
    cells.map((cell, i) => cell.padStart([done, watermark, lag, rate][i]!)).join("")
  const head = ` ${"worker".padEnd(nameWidth)}${numbers(["done", "watermark", "lag", "blocks/s"])}`
  const room = columns - head.length - 3
  const rows = lines.flatMap((line) => {
    const { worker, branch, trunk, also } = line
    const cells = numbers([
      formatPercent(worker.percent),
      formatHeight(worker.watermark),
      worker.lag === null ? "–" : formatHeight(worker.lag),
      formatCount(worker.blocksPerSecond.last10s),
    ])
    const label = `${paint.dim(branch)}${worker.worker}${"".padEnd(nameWidth - branch.length - worker.worker.length)}`
    const said = (note: string): string => paint.dim(shorten(note, Math.max(10, columns - trunk.length - 4)))
    const flags = workerFlags(worker)
    const text = printable(flags.map((flag) => flag.text).join(", "))
    const fits = text.length <= room
    const look = flags.some(({ kind }) => kind === "bad") ? paint.bad : paint.busy
    const below = [
      ...(fits ? [] : [look(shorten(text, columns - trunk.length - 4))]),
      ...(also.length > 0 ? [said(`also reads ${also.join(", ")}`)] : []),
      ...(worker.registration?.paused && worker.registration.pausedReason
        ? [said(`paused: ${printable(worker.registration.pausedReason)}`)]
        : []),
    ]
    return [
      ` ${label}${cells}${fits && text !== "" ? `  ${look(text)}` : ""}`,
      ...below.map((note) => ` ${paint.dim(trunk)}  ${note}`),
    ]
  })
  return `${[paint.strong(name), paint.dim(head), ...rows].join("\n")}\n`
}

function workerTree(workers: readonly WorkerStatus[]): readonly TreeLine[] {
  const known = new Set(workers.map(({ worker }) => worker))
  const parentOf = ({ dependencies }: WorkerStatus): string | undefined =>
    dependencies.find((name) => name !== rawIngester && known.has(name)) ??
    dependencies.find((name) => known.has(name))
  const lines: TreeLine[] = []
  const add = (worker: WorkerStatus, place: { branch: string; indent: string }): void => {
    const parent = parentOf(worker)
    const children = workers.filter((other) => parentOf(other) === worker.worker)
    lines.push({
      worker,
      branch: place.branch,
      trunk: `${place.indent}${children.length > 0 ? "│ " : "  "}`,
      also: worker.dependencies.filter((name) => name !== parent && name !== rawIngester),
    })
    for (const [i, child] of children.entries()) {
      const isLast = i === children.length - 1
      add(child, {
        branch: `${place.indent}${isLast ? "└─ " : "├─ "}`,
        indent: `${place.indent}${isLast ? "   " : "│  "}`,
      })
    }
  }
  for (const root of workers.filter((worker) => parentOf(worker) === undefined)) add(root, { branch: "", indent: "" })
  return lines
}
