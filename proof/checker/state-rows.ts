// The rows of one state table while the chain is walked in order. Walking in order is what makes it simple: the first to come
// is the first, and whatever comes later is the last.

import { type Row, type Table, toLine, type Value } from "./table.js"

type Numbers = Readonly<Record<string, bigint>>
type Position = Readonly<Record<string, number>>

interface StateRow {
  readonly values: Record<string, Value>
  /** Where the key was seen; becomes columns only when the row is written out. */
  first: Position | undefined
  last: Position | undefined
}

export class StateRows {
  readonly #rows = new Map<string, StateRow>()
  readonly #table: Table
  readonly #empty: Row

  constructor(table: Table) {
    this.#table = table
    // Sums begin at zero; what has no sum (a tracked end, a last value) is unknown until a row says it.
    this.#empty = Object.fromEntries(
      table.columns.map(({ name, type }) => [name, type === "integer" && !/^(first|last)_/.test(name) ? 0n : null]),
    )
  }

  /** One event row behind the row of this key: what it adds, and what it sets because it is the last so far. */
  add(key: Row, amounts: Numbers, last?: Row): StateRow {
    const row = this.#rowOf(key)
    const { values } = row
    if ("event_rows" in values) values["event_rows"] = (values["event_rows"] as bigint) + 1n
    for (const column in amounts) {
      const amount = amounts[column]!
      if (amount !== 0n) values[column] = (values[column] as bigint) + amount
    }
    if (last) Object.assign(values, last)
    return row
  }

  /** As `add`, by an event row that also counts for where the key was seen first and last. */
  addSeen(at: Position, key: Row, amounts: Numbers, last?: Row): void {
    const row = this.add(key, amounts, last)
    row.first ??= at
    row.last = at
  }

  lines(): string[] {
    const lines: string[] = []
    for (const { values, first, last } of this.#rows.values()) {
      for (const part in first) values[`first_${part}`] = first[part]!
      for (const part in last) values[`last_${part}`] = last[part]!
      lines.push(toLine(this.#table, values))
    }
    return lines.sort()
  }

  #rowOf(key: Row): StateRow {
    let id = ""
    for (const name of this.#table.key) id += `${key[name]} `
    const found = this.#rows.get(id)
    if (found) return found
    const row: StateRow = { values: { ...this.#empty, ...key }, first: undefined, last: undefined }
    this.#rows.set(id, row)
    return row
  }
}
