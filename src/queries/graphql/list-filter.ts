// `where` of a list: its input type from the table's indexed columns, and its values as conditions of a statement.

import { type GraphQLInputFieldConfig, GraphQLInputObjectType, GraphQLList, GraphQLNonNull } from "graphql"
import type { ColumnKind } from "../../workers/column.js"
import { RequestError } from "../request-error.js"
import type { Branch } from "../resource.js"
import { columnSql } from "../table-column-sql.js"
import { scalarOf } from "./graph-scalars.js"
import type { GraphTable } from "./graph-table.js"
import { describeAccess, filterColumns, sqlTypeOf } from "./table-access.js"

export type Where = Readonly<Record<string, unknown>>

/** Heights are half-open, as everywhere. */
export interface ListFilter {
  readonly equal: readonly string[]
  readonly several: string | undefined
  readonly ranged: readonly string[]
  readonly from: number
  readonly to: number
  readonly conditions: readonly Condition[]
}

interface Condition {
  readonly column: string
  readonly operator: "=" | ">" | ">=" | "<" | "<="
  /** Several: one branch for each, since each is found in its own place of the index. */
  readonly values: readonly unknown[]
}

const ranges = { _gt: ">", _gte: ">=", _lt: "<", _lte: "<=" } as const
const unordered: readonly ColumnKind[] = ["bytes", "bool", "text"]
const mostValues = 20

export function filterType(table: GraphTable, typeName: string): GraphQLInputObjectType {
  const fields: Record<string, GraphQLInputFieldConfig> = {}
  for (const column of filterColumns(table)) {
    const { kind } = table.columns.get(column)!
    const type = scalarOf[kind]
    fields[column] = { type }
    if (column !== table.height)
      fields[`${column}_in`] ??= {
        type: new GraphQLList(new GraphQLNonNull(type)),
        description: `At most ${mostValues} values; one such condition in a list.`,
      }
    if (unordered.includes(kind) || (table.height !== undefined && column !== table.height)) continue
    for (const suffix of Object.keys(ranges)) fields[`${column}${suffix}`] ??= { type }
  }
  return new GraphQLInputObjectType({
    name: `${typeName}_filter`,
    description: `Columns that an index begins with: ${describeAccess(table)}.`,
    fields,
  })
}

export function parseFilter(table: GraphTable, where: Where): ListFilter {
  const columns = filterColumns(table)
  const conditions: Condition[] = []
  let [from, to] = [0, Number.MAX_SAFE_INTEGER]
  for (const [name, value] of Object.entries(where)) {
    if (value === null || value === undefined) continue
    const suffix = columns.includes(name) ? "" : (/_(gte?|lte?|in)$/.exec(name)?.[0] ?? "")
    const column = name.slice(0, name.length - suffix.length)
    if (column === table.height) {
      const [low, high] = heights(suffix, Number(value))
      from = Math.max(from, low)
      to = Math.min(to, high)
    }
    const values = suffix === "_in" ? [...new Set(value as unknown[])] : [value]
    if (values.length > mostValues) throw refuse(`${name} has more than ${mostValues} values`)
    for (const one of values) assertFits(table, column, one)
    const operator = suffix === "" || suffix === "_in" ? "=" : ranges[suffix as keyof typeof ranges]
    conditions.push({ column, operator, values })
  }
  const several = conditions.filter(({ values }) => values.length !== 1)
  if (several.length > 1) throw refuse("only one condition may be _in")
  const named = (isEqual: boolean): string[] => [
    ...new Set(conditions.filter(({ operator }) => (operator === "=") === isEqual).map(({ column }) => column)),
  ]
  const equal = named(true)
  const doubled = conditions.filter(({ operator }) => operator === "=").length > equal.length
  if (doubled) throw refuse("a column is given by two conditions")
  const ranged = named(false).filter((column) => !equal.includes(column))
  return { ...{ equal, ranged, from, to, conditions }, several: several[0]?.column }
}

/** The heights that a condition leaves, half-open. */
function heights(suffix: string, height: number): [number, number] {
  const most = Number.MAX_SAFE_INTEGER
  const at = Math.max(0, Math.min(height, most - 1))
  if (suffix === "") return height < 0 ? [0, 0] : [at, at + 1]
  if (suffix === "_gt") return [height < 0 ? 0 : at + 1, most]
  if (suffix === "_gte") return [at, most]
  return suffix === "_lt" ? [0, at] : [0, height < 0 ? 0 : at + 1]
}

/** The rows of `from` that fit, in branches whose rows are disjoint. Values are $1, $2, … after those that are there. */
export function filterBranches(
  table: GraphTable,
  { conditions }: Pick<ListFilter, "conditions">,
  { from, where, values }: Branch & { readonly values: unknown[] },
): Branch[] {
  const shared = [...where]
  let several: string[] | undefined
  for (const { column, operator, values: given } of conditions) {
    const tests = given.map(
      (one) => `${columnSql(column)} ${operator} $${values.push(one)}::${sqlTypeOf(table, column)}`,
    )
    if (tests.length === 1) shared.push(tests[0]!)
    else several = tests
  }
  if (!several) return [{ from, where: shared }]
  return several.map((test) => ({ from, where: [...shared, test] }))
}

const bounds: Readonly<Partial<Record<ColumnKind, bigint>>> = {
  int2: 2n ** 15n,
  int8: 2n ** 63n,
}

/** What Postgres would not take for the column's type. */
export function assertFits(table: GraphTable, column: string, value: unknown): void {
  const { kind } = table.columns.get(column)!
  const bound = bounds[kind]
  if (bound !== undefined) {
    const number = BigInt(value as string | number)
    if (number >= bound || number < -bound) throw refuse(`${column} is out of range`)
  }
  if (kind === "text" && (value as string).includes("\0")) throw refuse(`${column} must not contain a NUL`)
}

const refuse = (message: string): RequestError => new RequestError("BAD_REQUEST", message)
