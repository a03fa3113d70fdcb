// What a table is called: its own name for the list, the singular for one row, and that in capitals for the type.

import type { GraphTable } from "./graph-table.js"

interface Names {
  readonly list: string
  readonly single: string
  /** Where a row names one: its table's name, if that has no plural. */
  readonly related: string
  readonly type: string
}

export interface TableNames {
  of(table: GraphTable): Names
}

/** Of types that are no table's. */
const reserved = ["Query", "Meta", "MetaBlock", "MetaWorker", "HeightRange", "PageInfo", "OrderDirection"]
const scalars = ["Bytes", "BigInt", "Timestamp", "Date", "String", "Int", "Float", "Boolean", "ID"]

export function tableNames(tables: readonly GraphTable[]): TableNames {
  const taken = new Set([...reserved, ...scalars, "_meta"])
  const found = new Map<GraphTable, Names>()
  const free = (...wanted: readonly string[]): string => {
    let name = wanted.find((one) => !taken.has(one)) ?? wanted.at(-1)!
    while (taken.has(name)) name = `${name}_`
    taken.add(name)
    return name
  }
  // Lists first: a table keeps its name whatever the singular of another is.
  const lists = new Map(tables.map((table) => [table, free(table.name, `${table.store}_${table.name}`)]))
  for (const table of tables) {
    const list = lists.get(table)!
    const related = singular(list)
    const single = free(related, `${list}_row`)
    found.set(table, { ...{ list, single, related }, type: free(pascal(related), `${pascal(related)}Row`) })
  }
  return { of: (table) => found.get(table)! }
}

function singular(name: string): string {
  if (/[^aeiou]ies$/.test(name)) return `${name.slice(0, -3)}y`
  if (/(ss|sh|ch|x)es$/.test(name)) return name.slice(0, -2)
  if (/s$/.test(name) && !/(ss|us|is)$/.test(name)) return name.slice(0, -1)
  return name
}

const pascal = (name: string): string =>
  name
    .split("_")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("")
