// The given workers and all that read their rows, directly or not, in the order of the list. Pure.

export function downstreamOf(
  workers: readonly { readonly name: string; readonly dependencies?: readonly string[] }[],
  names: readonly string[],
): readonly string[] {
  const reached = new Set(names)
  // Until nothing is added: the list need not be in order.
  for (let size = -1; size < reached.size; ) {
    size = reached.size
    for (const { name, dependencies } of workers)
      if (dependencies?.some((dependency) => reached.has(dependency))) reached.add(name)
  }
  return workers.map(({ name }) => name).filter((name) => reached.has(name))
}
