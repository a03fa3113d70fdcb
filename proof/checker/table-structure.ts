// Is the table there, with the columns that the checker's list has and no others?

import type { Difference, TableReport } from "./compare-tables.js"
import type { Table } from "./table.js"

export interface StructureOptions {
  readonly schema: string
  /** Those that are there; undefined where the table is not. */
  readonly columns: ReadonlySet<string> | undefined
  /** Columns that nobody vouches for, and that is known. */
  readonly excluded: readonly string[]
}

export function structureOf(table: Table, { schema, columns, excluded }: StructureOptions): Difference[] {
  if (!columns) return [{ kind: "missing table", key: `${schema}.${table.name}` }]
  const known = new Set(table.columns.map(({ name }) => name))
  return [
    ...[...known].filter((name) => !columns.has(name)).map((name) => columnDifference("missing column", name)),
    ...[...columns]
      .filter((name) => !known.has(name) && !excluded.includes(name))
      .map((name) => columnDifference("unchecked column", name)),
  ]
}

const columnDifference = (kind: Difference["kind"], column: string): Difference => ({ kind, key: "", column })

/** What is wrong with the table itself comes first: it explains the rest. A worker that covers nothing needs no table yet. */
export function withStructure(report: TableReport, structure: readonly Difference[]): TableReport {
  const untouched = report.rowsExpected === 0 && structure[0]?.kind === "missing table"
  if (untouched) return report
  return {
    ...report,
    differenceCount: report.differenceCount + structure.length,
    differences: [...structure, ...report.differences],
  }
}
