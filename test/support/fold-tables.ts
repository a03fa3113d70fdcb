// Event and state tables of fold tests, made from their declarations by the shortest way, filled and read as text.

import { quoteIdentifier } from "../../src/postgres/quote-identifier.js"
import type { Queryable } from "../../src/postgres/transaction.js"
import { type ColumnKind, columnTypes } from "../../src/workers/column.js"
import { foldIndexes } from "../../src/workers/fold-indexes.js"
import { type FoldPlan, stateColumns } from "../../src/workers/fold-plan.js"
import type { EventTable, UpstreamRow } from "../../src/workers/worker-definition.js"
import type { EventRows } from "./memory-fold.js"

const names = (columns: readonly string[]): string => columns.map((name) => quoteIdentifier(name)).join(", ")

export async function createEventTables(
  db: Queryable,
  tables: Readonly<Record<string, EventTable>>,
): Promise<void> {
  for (const [name, table] of Object.entries(tables)) {
    const columns = Object.entries(table.columns).map(
      ([column, { kind, nullable }]) =>
        `${quoteIdentifier(column)} ${columnTypes[kind]}${nullable ? "" : " not null"}`,
    )
    await db.query(
      `create table app.${quoteIdentifier(name)} (${columns.join(", ")}, primary key (${names(table.key)}))`,
    )
    for (const index of table.indexes ?? [])
      await db.query(`create index on app.${quoteIdentifier(name)} (${names(index)})`)
  }
}

export async function createStateTable(db: Queryable, plan: FoldPlan): Promise<void> {
  const columns = stateColumns(plan).map(
    ({ name, kind, nullable }) =>
      `${quoteIdentifier(name)} ${columnTypes[kind]}${nullable ? "" : " not null"}`,
  )
  const key = names(plan.key.map(({ name }) => name))
  await db.query(
    `create table app.${quoteIdentifier(plan.table)} (${columns.join(", ")}, primary key (${key}))`,
  )
}

export async function createFoldIndexes(db: Queryable, plan: FoldPlan): Promise<void> {
  for (const { table, columns } of foldIndexes(plan))
    await db.query(`create index if not exists ${quoteIdentifier([table, ...columns].join("_").slice(0, 60))}
      on app.${quoteIdentifier(table)} (${names(columns)})`)
}

export async function insertEvents(
  db: Queryable,
  tables: Readonly<Record<string, EventTable>>,
  events: EventRows,
): Promise<void> {
  for (const [name, rows] of Object.entries(events)) {
    if (rows.length === 0) continue
    const columns = Object.entries(tables[name]!.columns)
    await db.query(
      `insert into app.${quoteIdentifier(name)} (${names(columns.map(([column]) => column))})
       select ${columns.map((_, at) => `c${at}`).join(", ")}
       from unnest(${columns.map(([, { kind }], at) => `$${at + 1}::${columnTypes[kind]}[]`).join(", ")})
         as given(${columns.map((_, at) => `c${at}`).join(", ")})`,
      columns.map(([column, { kind }]) => rows.map((row) => toText(row[column] ?? null, kind))),
    )
  }
}

/** Rows by their key, every value as text: bytes as "0x…", timestamps in microseconds, dates in days. */
export async function readState(db: Queryable, plan: FoldPlan): Promise<Record<string, string | null>[]> {
  const columns = stateColumns(plan).map(({ name, kind }) => {
    const column = quoteIdentifier(name)
    if (kind === "bytes") return `'0x' || encode(${column}, 'hex') as ${column}`
    if (kind === "timestamp") return `(extract(epoch from ${column}) * 1000000)::int8::text as ${column}`
    if (kind === "date") return `(${column} - date '1970-01-01')::text as ${column}`
    return `${column}::text as ${column}`
  })
  const { rows } = await db.query(`select ${columns.join(", ")} from app.${quoteIdentifier(plan.table)}`)
  return sorted(plan, rows)
}

/** The rows of a model in the form of `readState`. */
export const stateAsText = (
  plan: FoldPlan,
  rows: readonly Readonly<Record<string, UpstreamRow[string]>>[],
): Record<string, string | null>[] =>
  sorted(
    plan,
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]),
      ),
    ),
  )

function sorted(
  plan: FoldPlan,
  rows: readonly Record<string, string | null>[],
): Record<string, string | null>[] {
  const id = (row: Record<string, string | null>) => JSON.stringify(plan.key.map(({ name }) => row[name]))
  return [...rows].sort((a, b) => (id(a) < id(b) ? -1 : 1))
}

function toText(value: UpstreamRow[string], kind: ColumnKind): string | null {
  if (value === null) return null
  if (kind === "bytes") return `\\x${String(value).slice(2)}`
  if (kind === "timestamp") {
    const microseconds = value as bigint
    const whole = new Date(Number(microseconds / 1_000_000n) * 1000).toISOString().slice(0, 19)
    return `${whole}.${String(microseconds % 1_000_000n).padStart(6, "0")}Z`
  }
  return String(value)
}
