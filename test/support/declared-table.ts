// A table's declaration in few words, for comparing with what it should be: kinds as text, "?" after what may be null.

import type { Column } from "../../src/workers/column.js"
import type { FoldColumn, WorkerTable } from "../../src/workers/worker-definition.js"

const kindText = (column: Column): string => `${column.kind}${column.nullable ? "?" : ""}`
const foldText = (column: FoldColumn): string => `${column.aggregate} ${column.kind}`

const textOf = <Value>(record: Readonly<Record<string, Value>>, text: (value: Value) => string): string[] =>
  Object.entries(record).map(([name, value]) => `${name} ${text(value)}`)

/** Event tables: columns, key, partition, indexes. State tables: key, columns, ends, position, indexes; not the sources. */
export function declaredTable(table: WorkerTable | undefined): unknown {
  if (table === undefined) return undefined
  if (table.kind === "events") {
    const { columns, key, partitionBlocks, indexes = [] } = table
    return { columns: textOf(columns, kindText), key, partitionBlocks, indexes }
  }
  const { key, columns, track = [], position, indexes = [] } = table
  return { key: textOf(key, kindText), columns: textOf(columns, foldText), track, position, indexes }
}
