// Where each worker of the graph stands: a column for each depth, and in it as near as can be to what it depends on. An edge to
// what is reached by way of others is left out. Pure.

import { workerDepths } from "./order-workers"
import type { Worker } from "./worker-state"

interface Node {
  readonly worker: Worker
  readonly column: number
  readonly row: number
}

interface Edge {
  readonly from: Node
  readonly to: Node
}

export interface GraphLayout {
  readonly nodes: readonly Node[]
  readonly edges: readonly Edge[]
  readonly columns: number
  readonly rows: number
}

export function layoutGraph(workers: readonly Worker[]): GraphLayout {
  const known = new Map(workers.map((worker) => [worker.worker, worker]))
  const needs = (name: string): readonly string[] =>
    (known.get(name)?.dependencies ?? []).filter((other) => known.has(other))
  const depths = workerDepths(workers)
  const columns = Math.max(0, ...depths.values()) + 1
  const nodes = new Map<string, Node>()
  for (let column = 0; column < columns; column++) {
    const names = [...known.keys()].filter((name) => depths.get(name) === column)
    const near = (name: string): number => {
      const rows = direct(name).map((other) => nodes.get(other)?.row ?? 0)
      return rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + row, 0) / rows.length
    }
    const sorted = names.sort((a, b) => near(a) - near(b) || (a < b ? -1 : 1))
    for (const [row, name] of sorted.entries()) nodes.set(name, { worker: known.get(name)!, column, row })
  }
  /** Needed, and by nothing else that is needed. */
  function direct(name: string): readonly string[] {
    const all = needs(name)
    return all.filter((one) => !all.some((other) => other !== one && reaches(other, one)))
  }
  function reaches(from: string, to: string): boolean {
    return needs(from).some((one) => one === to || reaches(one, to))
  }
  const edges = [...nodes.values()].flatMap((to) =>
    direct(to.worker.worker).map((name) => ({ from: nodes.get(name)!, to })),
  )
  const rows = Math.max(1, ...[...nodes.values()].map(({ row }) => row + 1))
  return { nodes: [...nodes.values()], edges, columns, rows }
}
