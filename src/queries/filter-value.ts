// What a request says of a column, as a parameter of its type. Anything that the type does not hold is refused here: the
// database would answer with an error.

import type { ColumnKind } from "../workers/column.js"
import { RequestError } from "./request-error.js"
import { bytesOf } from "./value-schemas.js"
import type { TableColumn } from "./worker-tables.js"

const whole =
  (bits: bigint) =>
  (text: string): string | undefined => {
    if (!/^-?[0-9]{1,19}$/.test(text)) return undefined
    const value = BigInt(text)
    return value >= -(1n << (bits - 1n)) && value < 1n << (bits - 1n) ? text : undefined
  }
const digitsOf =
  (most: number) =>
  (text: string): string | undefined =>
    new RegExp(`^-?[0-9]{1,${most}}$`).test(text) ? text : undefined

function momentOf(text: string): Date | undefined {
  const moment = /^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(text) ? new Date(text) : new Date(Number.NaN)
  return Number.isNaN(moment.getTime()) || moment.getUTCFullYear() < 1 ? undefined : moment
}

const parsers: Readonly<Record<ColumnKind, (text: string) => unknown>> = {
  bytes: (text) => (/^0x([0-9a-fA-F]{2})*$/.test(text) ? bytesOf(text) : undefined),
  bool: (text) => (text === "true" || text === "false" ? text : undefined),
  int2: whole(16n),
  int4: whole(32n),
  int8: whole(64n),
  amount: digitsOf(78),
  numeric: digitsOf(200),
  text: (text) => (text.includes("\u0000") ? undefined : text),
  timestamp: (text) => momentOf(text)?.toISOString(),
  date: (text) => (text.length === 10 ? momentOf(text)?.toISOString().slice(0, 10) : undefined),
}

const expected: Readonly<Record<ColumnKind, string>> = {
  ...{ bytes: "0x and an even number of hex digits", bool: "true or false", text: "text without a zero byte" },
  ...{ int2: "a whole number of 16 bits", int4: "a whole number of 32 bits", int8: "a whole number of 64 bits" },
  ...{ amount: "at most 78 digits", numeric: "at most 200 digits", timestamp: "an ISO 8601 time", date: "YYYY-MM-DD" },
}

export function filterValue({ name, kind }: TableColumn, text: string): unknown {
  const value = parsers[kind](text)
  if (value === undefined) throw new RequestError("BAD_REQUEST", `${name} is ${kind}: ${expected[kind]}`)
  return value
}
