// Names an index after its table and columns, so that it is found by its name and created once.

import { createHash } from "node:crypto"
import type { WorkerDefinition, WorkerTable } from "./worker-definition.js"

export interface TableIndex {
  readonly table: string
  readonly columns: readonly string[]
}

/** The longest name in Postgres. */
const maxNameBytes = 63

/** `<table>_<columns>`; where that is too long, its beginning and a hash of the whole. */
export function indexName({ table, columns }: TableIndex): string {
  const name = [table, ...columns].join("_")
  if (name.length <= maxNameBytes) return name
  // Of the parts, not of the name: (a_b) and (a, b) read the same.
  const hash = createHash("sha256")
    .update(JSON.stringify([table, ...columns]))
    .digest("hex")
    .slice(0, 8)
  return `${name.slice(0, maxNameBytes - 9)}_${hash}`
}

export const tableIndexes = (name: string, table: WorkerTable): TableIndex[] =>
  (table.indexes ?? []).map((columns) => ({ table: name, columns }))

export const declaredIndexes = ({ tables }: WorkerDefinition): TableIndex[] =>
  Object.entries(tables).flatMap(([name, table]) => tableIndexes(name, table))
