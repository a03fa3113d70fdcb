// Code for rows of one shape. Written out, since a loop over column names that serves all tables is what most of a statement's time goes
// into: an engine cannot learn the shape of a row where every table passes through.

import type { Values } from "./model-table.js"

const literal = (names: readonly string[], value: (name: string, at: number) => string): string =>
  `return {${names.map((name, at) => `${JSON.stringify(name)}: ${value(name, at)}`).join(", ")}}`

/** A row of the values, in the order of the names. */
export const rowMaker = (names: readonly string[]): ((values: readonly unknown[]) => Values) =>
  new Function(
    "values",
    literal(names, (_, at) => `values[${at}]`),
  ) as (values: readonly unknown[]) => Values

/** A row that can be changed without changing the one it was made of. */
export const rowCopier = (names: readonly string[]): ((row: Values) => Values) =>
  new Function(
    "row",
    literal(names, (name) => `row[${JSON.stringify(name)}]`),
  ) as (row: Values) => Values

export const columnReader = (name: string): ((row: Values | undefined) => unknown) =>
  new Function(
    "row",
    `if (row === undefined) return null
     const value = row[${JSON.stringify(name)}]
     return value === undefined ? null : value`,
  ) as (row: Values | undefined) => unknown
