// What the checker knows of a derived table, and how a row of it is written as a line. A line is the text form of COPY: cells
// between tabs, \N for null, bytes as hex, times as microseconds, so the database writes the found rows in the same form.

export type Value = string | number | bigint | boolean | null
export type Row = Readonly<Record<string, Value>>

export type ColumnType = "bytes" | "integer" | "text" | "boolean" | "timestamp" | "day"

export interface Column {
  readonly name: string
  readonly type: ColumnType
}

export interface Table {
  readonly name: string
  /** Whose coverage says at which heights the table has its rows. */
  readonly worker: string
  readonly kind: "events" | "state"
  /** All of them, in the order of the spec. */
  readonly columns: readonly Column[]
  readonly key: readonly string[]
}

export function toLine(table: Table, row: Row): string {
  let line = ""
  for (const { name } of table.columns) {
    const value = row[name]
    if (value === undefined) throw new Error(`the row for ${table.name} has no ${name}`)
    if (line !== "" || name !== table.columns[0]!.name) line += "\t"
    line += value === null ? "\\N" : value === true ? "t" : value === false ? "f" : value
  }
  return line
}

/** The select list that makes the database write the same lines; a column that is not there reads as null. */
export function selectList(table: Table, present: ReadonlySet<string>): string {
  return table.columns
    .map(({ name, type }) => (present.has(name) ? expressions[type](`"${name}"`) : "null"))
    .join(", ")
}

// trim_scale: 5 and 5.0 are the same amount; a fraction that is not zero still shows.
const expressions: Record<ColumnType, (column: string) => string> = {
  bytes: (column) => `encode(${column}, 'hex')`,
  integer: (column) => `trim_scale(${column}::numeric)`,
  text: (column) => column,
  boolean: (column) => column,
  timestamp: (column) => `trim_scale(extract(epoch from ${column}) * 1000000)`,
  day: (column) => `to_char(${column}, 'YYYY-MM-DD')`,
}

/** Every table of events, and of raw, begins with it. */
export const heightOf = (line: string): number => Number(line.slice(0, line.indexOf("\t")))

export const byHeight = (a: string, b: string): number => heightOf(a) - heightOf(b) || (a < b ? -1 : a > b ? 1 : 0)
