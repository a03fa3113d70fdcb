// The SQL of a fold's expressions over an event row t, and of the conditions under which rows count.

import { driver } from "../../postgres/driver.js"
import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import { type ColumnKind, columnTypes } from "../column.js"
import type { FoldCondition, FoldExpression, FoldLiteral, PlannedSource } from "../fold-plan.js"

export function expressionSql(expression: FoldExpression, kind: ColumnKind): string {
  if (expression.of === "literal") return literalSql(expression.literal, kind)
  const column = `t.${quoteIdentifier(expression.column)}`
  if (expression.of === "day") return `(${column} at time zone 'UTC')::date`
  const value = expression.kind === kind ? column : `${column}::${columnTypes[kind]}`
  // Widened first: the smallest int2 has no int2 opposite.
  return expression.of === "negate" ? `-(${value})` : value
}

/** The conditions under which a row counts, apart from its height. A row with a null in its key never counts. */
export function sourceConditions(source: PlannedSource): string[] {
  return [
    ...source.where.map(conditionSql),
    ...source.key.flatMap((expression) =>
      expression.of !== "literal" && expression.nullable
        ? [`t.${quoteIdentifier(expression.column)} is not null`]
        : [],
    ),
  ]
}

function conditionSql({ column, kind, test, value }: FoldCondition): string {
  const name = `t.${quoteIdentifier(column)}`
  if (value === null) return `${name} is ${test === "is" ? "null" : "not null"}`
  return test === "is" ? `${name} = ${literalSql(value, kind)}` : `${name} is distinct from ${literalSql(value, kind)}`
}

/** The only way a value gets into SQL text. Values are parameters wherever a statement allows it. */
function literalSql(literal: FoldLiteral, kind: ColumnKind): string {
  const text = kind === "bytes" ? `\\x${String(literal).slice(2)}` : String(literal)
  if (text.includes("\0")) throw new RangeError("a literal contains a NUL")
  // Safe for any value of standard_conforming_strings.
  return `${driver.escapeLiteral(text).trimStart()}::${columnTypes[kind]}`
}
