// The sums of a state table over plain event rows, the slow and obvious way: what a fold declaration means, without a store.
// Only sums; first, last, min and max are for tests of the runtime.

import type { Condition, Expression, StateTable } from "../../src/workers/worker-definition.js"
import type { PlainRow } from "./run-extract.js"

const dayUs = 86_400_000_000n

function evaluate(expression: Expression, row: PlainRow): unknown {
  if (typeof expression === "string") return row[expression]
  if ("literal" in expression) return expression.literal
  if ("negate" in expression) return -BigInt(row[expression.negate] as bigint)
  return Number((row[expression.day] as bigint) / dayUs)
}

const holds = (condition: Condition, value: unknown): boolean =>
  "is" in condition ? value === condition.is : value !== condition.isNot

/** State rows by their key (values joined by a space), every sum a bigint. A null adds nothing, a null key has no row. */
export function foldSums(
  table: StateTable,
  rows: Readonly<Record<string, readonly PlainRow[]>>,
): Record<string, Record<string, bigint>> {
  const state: Record<string, Record<string, bigint>> = {}
  for (const { table: name, where = {}, key, set = {} } of table.sources) {
    for (const row of rows[name] ?? []) {
      if (!Object.entries(where).every(([column, condition]) => holds(condition, row[column]))) continue
      const keyValues = Object.keys(table.key).map((column) => evaluate(key[column]!, row))
      if (keyValues.includes(null)) continue
      state[keyValues.join(" ")] ??= Object.fromEntries(
        Object.keys(table.columns).map((column) => [column, 0n]),
      )
      const sums = state[keyValues.join(" ")]!
      for (const [column, expression] of Object.entries(set)) {
        if (table.columns[column]?.aggregate !== "sum") continue
        const value = evaluate(expression, row)
        if (value !== null) sums[column]! += BigInt(value as bigint)
      }
    }
  }
  return state
}
