// Values as the model keeps them: numbers for integers and moments, sets of ranges as the domain has them, bytes as Buffers. Text from
// outside becomes one of these, and goes out as the driver would give it.

import type { BlockRange } from "../../../src/domain/block-range.js"
import type { RangeSet } from "../../../src/domain/range-set.js"
import { parseMultirange, parseRange, printMultirange, printRange } from "../../../src/postgres/multirange.js"
import type { SqlType } from "./sql-syntax.js"

export const endless = Number.MAX_SAFE_INTEGER

/** Types whose values are primitives of JavaScript. */
export const primitives: { readonly [type in SqlType]?: "number" | "string" } = {
  ...{ int4: "number", int8: "number", float8: "number", timestamptz: "number", interval: "number" },
  ...{ text: "string", uuid: "string" },
}

const emptyRange: BlockRange = { from: 0, to: 0 }
const isEmpty = ({ from, to }: BlockRange): boolean => from >= to

/** A value of unknown origin as one of the type. */
export function coerce(value: unknown, type: SqlType): unknown {
  if (value === null || value === undefined) return null
  const primitive = primitives[type]
  if (primitive) return primitive === "number" ? Number(value) : String(value)
  switch (type) {
    case "int8range":
      return typeof value === "string" ? (parseRange(value) ?? emptyRange) : value
    case "int8multirange":
      if (typeof value === "string") return parseMultirange(value)
      return Array.isArray(value) ? value : [value]
    case "json":
      return typeof value === "string" ? JSON.parse(value) : value
    default:
      return value
  }
}

/** `value::text`. */
export function asText(value: unknown, type: SqlType): string | null {
  if (value === null) return null
  if (type === "int8multirange") return printMultirange(value as RangeSet)
  if (type === "int8range") return isEmpty(value as BlockRange) ? "empty" : printRange(value as BlockRange)
  if (type === "json") return JSON.stringify(value)
  return String(value)
}

/** As the driver gives it: int8 as text, so that nothing is rounded. */
export function asDriver(value: unknown, type: SqlType): unknown {
  if (value === null || value === undefined) return null
  if (type === "int8") return String(value)
  if (type === "int8multirange" || type === "int8range") return asText(value, type)
  return value
}
