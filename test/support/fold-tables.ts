// Event and state tables of fold tests, filled and read as text.

import { quoteIdentifier } from "../../src/postgres/quote-identifier.js"
import type { SqlConnection } from "../../src/postgres/sql-connection.js"
import { type FoldPlan, stateColumns } from "../../src/workers/fold-plan.js"
import { RowSink } from "../../src/workers/row-sink.js"
import type { WorkerDefinition } from "../../src/workers/worker-definition.js"
import type { EventRows, StateRow } from "./memory-fold.js"

type TextRow = Readonly<Record<string, string | null>>

export async function insertEvents(
  connection: SqlConnection,
  worker: WorkerDefinition,
  events: EventRows,
): Promise<void> {
  const sink = new RowSink(worker)
  const emit = sink.emit as Readonly<Record<string, (row: object) => void>>
  for (const [table, rows] of Object.entries(events)) {
    for (const row of rows) {
      sink.startBlock(row["block_height"] as number)
      emit[table]!(row)
    }
  }
  await connection.transaction((tx) => sink.flush(tx))
}

/** Rows by their key, every value as text: bytes as "0x…", timestamps in microseconds, dates in days. */
export async function readState(connection: SqlConnection, plan: FoldPlan): Promise<TextRow[]> {
  const columns = stateColumns(plan).map(({ name, kind }) => {
    const column = quoteIdentifier(name)
    if (kind === "bytes") return `'0x' || encode(${column}, 'hex') as ${column}`
    if (kind === "timestamp") return `(extract(epoch from ${column}) * 1000000)::int8::text as ${column}`
    if (kind === "date") return `(${column} - date '1970-01-01')::text as ${column}`
    return `${column}::text as ${column}`
  })
  const { rows } = await connection.query<TextRow>(
    `select ${columns.join(", ")} from app.${quoteIdentifier(plan.table)}`,
  )
  return sorted(plan, rows)
}

/** The rows of a fold in memory in the form of `readState`. */
export const stateAsText = (plan: FoldPlan, rows: readonly StateRow[]): TextRow[] =>
  sorted(
    plan,
    rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)])),
    ),
  )

function sorted(plan: FoldPlan, rows: readonly TextRow[]): TextRow[] {
  const id = (row: TextRow) => JSON.stringify(plan.key.map(({ name }) => row[name]))
  return [...rows].sort((a, b) => (id(a) < id(b) ? -1 : 1))
}
