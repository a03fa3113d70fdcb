// The JSON Schemas of values in requests and answers. Heights and amounts are strings of digits: they may exceed 2^53.

import { type TSchema, Type } from "typebox"
import type { ResourceColumn } from "./resource.js"

/** OpenAPI 3.1 has no `nullable`. */
export const orNull = (type: "string" | "integer" | "number" | "boolean" | "object"): TSchema =>
  Type.Unsafe({ type: [type, "null"] })

export const digits = Type.String({ pattern: "^-?[0-9]+$" })
const hexBytes = Type.String({ pattern: "^0x([0-9a-f]{2})*$" })
export const wholeOrNull = orNull("integer")
export const time = Type.String({ format: "date-time" })

/** In requests. */
export const heightParam = Type.String({ pattern: "^[0-9]{1,15}$" })
export const hashParam = Type.String({ pattern: "^0x[0-9a-fA-F]{64}$" })
export const addressParam = Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" })
export const workerParam = Type.String({ pattern: "^[a-z][a-z0-9_]{0,62}$" })
export const codeParam = Type.String({ pattern: "^[A-Z_]{1,40}$" })
export const faultParam = Type.String({ pattern: "^[0-9a-f]{32}$" })
export const atParam = Type.Optional({ ...heightParam, description: "As it was after this block" })
export const amountParam = Type.String({ pattern: "^[0-9]{1,78}$" })

/** JSON texts of values in SQL, null where the value is. */
const textJson = (sql: string): string => `to_json(${sql})::text`
const plain = (sql: string): string => `(${sql})::text`
const quoted = (sql: string): string => `'"' || ${plain(sql)} || '"'`
const bytesJson = (sql: string): string => `'"0x' || encode(${sql}, 'hex') || '"'`
const timeJson = (sql: string): string =>
  `'"' || to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`
const orNullJson = (json: string): string => `coalesce(${json}, 'null')`

export const text = (sql: string): ResourceColumn => ({ sql, json: textJson(sql), schema: Type.String() })
export const textOrNull = (sql: string): ResourceColumn => ({
  ...{ sql, json: orNullJson(textJson(sql)), schema: orNull("string") },
})
export const integer = (sql: string): ResourceColumn => ({ sql, json: plain(sql), schema: Type.Integer() })
export const integerOrNull = (sql: string): ResourceColumn => ({
  ...{ sql, json: orNullJson(plain(sql)), schema: orNull("integer") },
})
export const number = (sql: string): ResourceColumn => ({ sql, json: quoted(sql), schema: digits })
export const numberOrNull = (sql: string): ResourceColumn => ({
  ...{ sql, json: orNullJson(quoted(sql)), schema: orNull("string") },
})
export const bytes = (sql: string): ResourceColumn => ({ sql, json: bytesJson(sql), schema: hexBytes })
export const bytesOrNull = (sql: string): ResourceColumn => ({
  ...{ sql, json: orNullJson(bytesJson(sql)), schema: orNull("string") },
})
export const timestamp = (sql: string): ResourceColumn => ({ sql, json: timeJson(sql), schema: time })
export const timestampOrNull = (sql: string): ResourceColumn => ({
  ...{ sql, json: orNullJson(timeJson(sql)), schema: orNull("string") },
})
export const boolean = (sql: string): ResourceColumn => ({ sql, json: plain(sql), schema: Type.Boolean() })
export const booleanOrNull = (sql: string): ResourceColumn => ({
  ...{ sql, json: orNullJson(plain(sql)), schema: orNull("boolean") },
})

/** Of a request that the schema has checked. */
export const bytesOf = (hex: string): Buffer => Buffer.from(hex.slice(2), "hex")

/** Bytes as hex, times as ISO 8601; the driver has numbers beyond 2^53 as text already. */
export function jsonRow(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const json: Record<string, unknown> = {}
  for (const name in row) json[name] = jsonValue(row[name])
  return json
}

function jsonValue(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return `0x${value.toString("hex")}`
  return value instanceof Date ? value.toISOString() : value
}
