// Code for rows of one shape and for the expressions of one statement. Written out, since a loop over column names that serves all tables
// is what most of a statement's time goes into: an engine cannot learn the shape of a row where every table passes through.

import type { Values } from "./model-table.js"

const literal = (names: readonly string[], value: (name: string, at: number) => string): string =>
  `return {${names.map((name, at) => `${JSON.stringify(name)}: ${value(name, at)}`).join(", ")}}`

/** A row of the values, in the order of the names. */
export const rowMaker = (names: readonly string[]): ((values: readonly unknown[]) => Values) =>
  new Function(
    "values",
    literal(names, (_, at) => `values[${at}]`),
  ) as (values: readonly unknown[]) => Values

/** A row that can be changed without changing the one it was made of; what that lacks is null. */
export const rowCopier = (names: readonly string[]): ((row: Values) => Values) =>
  new Function(
    "row",
    literal(names, (name) => `row[${JSON.stringify(name)}] ?? null`),
  ) as (row: Values) => Values

/**
 * Writes the expressions of one statement: in terms of `c`, the context, `r`, its rows, and `p`, its parameters; of values that are bound, and
 * of variables of its own.
 */
export class CodeWriter {
  private readonly bound: unknown[] = []
  private variables = 0

  /** The name by which the code knows the value. */
  bind(value: unknown): string {
    this.bound.push(value)
    return `k${this.bound.length - 1}`
  }

  variable(): string {
    return `t${this.variables++}`
  }

  function<Context, Result>(code: string): (context: Context) => Result {
    const names = (pattern: RegExp): string[] => [...new Set(code.match(pattern))]
    const bound = names(/\bk\d+\b/g)
    const variables = names(/\bt\d+\b/g)
    const body = `return (c) => {
      const r = c.rows, p = c.params
      ${variables.length > 0 ? `let ${variables.join(", ")}` : ""}
      return ${code}
    }`
    return new Function(...bound, body)(...bound.map((name) => this.bound[Number(name.slice(1))]))
  }
}

/** A row as code, of the code for each column. */
export const rowLiteral = (names: readonly string[], code: readonly string[]): string =>
  `({${names.map((name, at) => `${JSON.stringify(name)}: ${code[at]}`).join(", ")}})`
