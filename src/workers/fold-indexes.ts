// The indexes that undo needs on event tables, so that finding a first, last, min or max anew is one probe for each key.

import { columnsOf, type FoldPlan } from "./fold-plan.js"

export interface FoldIndex {
  readonly table: string
  readonly columns: readonly string[]
}

/** Without those that a key or a declared index of the table already begins with. */
export function foldIndexes(plan: FoldPlan): readonly FoldIndex[] {
  const needed: FoldIndex[] = []
  for (const source of plan.sources) {
    const key = source.key.flatMap((expression) => (expression.of === "column" ? [expression.column] : []))
    const wanted = [
      ...(source.seen && plan.ends.length > 0 ? [plan.position.map(({ name }) => name)] : []),
      ...columnsOf(plan, "min", "max").flatMap(({ name }) => {
        const expression = source.set.get(name)
        return expression?.of === "column" ? [[expression.column]] : []
      }),
    ]
    for (const rest of wanted) {
      // A position column that is also a key column has one value for each key, and no place in the order.
      const columns = [...key, ...rest.filter((name) => !key.includes(name))]
      const there = [
        ...source.indexed,
        ...needed.filter(({ table }) => table === source.table).map((index) => index.columns),
      ]
      if (!there.some((index) => beginsWith(index, columns))) needed.push({ table: source.table, columns })
    }
  }
  return needed
}

const beginsWith = (index: readonly string[], columns: readonly string[]): boolean =>
  columns.every((name, at) => index[at] === name)
