// Workers as the map has them: each below those that it depends on, then by name. Pure.

interface Named {
  readonly worker: string
  readonly dependencies: readonly string[]
}

export function orderWorkers<T extends Named>(workers: readonly T[]): readonly T[] {
  const depths = workerDepths(workers)
  const depth = ({ worker }: T): number => depths.get(worker) ?? 0
  return [...workers].sort((a, b) => depth(a) - depth(b) || (a.worker < b.worker ? -1 : 1))
}

/** How many stand above each, at most. */
export function workerDepths(workers: readonly Named[]): ReadonlyMap<string, number> {
  const known = new Map(workers.map((worker) => [worker.worker, worker]))
  const depths = new Map<string, number>()
  const depthOf = (name: string): number => {
    const before = depths.get(name)
    if (before !== undefined) return before
    // Of a circle, which cannot be: it ends here.
    depths.set(name, 0)
    const needed = known.get(name)?.dependencies.filter((other) => known.has(other)) ?? []
    const depth = Math.max(-1, ...needed.map(depthOf)) + 1
    depths.set(name, depth)
    return depth
  }
  for (const name of known.keys()) depthOf(name)
  return depths
}
