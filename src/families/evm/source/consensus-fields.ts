// Reads the fields that consensus encodings are made of from a node's JSON. A missing or malformed field throws
// CannotEncode, which names it.

import { isObject } from "./block-json.js"
import { quantityText } from "./hex-text.js"

export class CannotEncode extends Error {}

export type Fields = Readonly<Record<string, unknown>>

export function bytes(fields: Fields, key: string): Buffer {
  const value = fields[key]
  if (typeof value !== "string" || !/^0x([0-9a-fA-F]{2})*$/.test(value)) {
    throw new CannotEncode(`field ${key} is missing or no bytes`)
  }
  return Buffer.from(value.slice(2), "hex")
}

export function quantity(fields: Fields, key: string): Buffer {
  const sent = fields[key]
  const value = typeof sent === "number" && Number.isSafeInteger(sent) && sent >= 0 ? quantityText(sent) : sent
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]+$/.test(value)) {
    throw new CannotEncode(`field ${key} is missing or no quantity`)
  }
  const digits = value.slice(2).replace(/^0+/, "")
  return Buffer.from(digits.length % 2 === 1 ? `0${digits}` : digits, "hex")
}

type Encode = (fields: Fields, key: string) => Buffer

export const all = (encode: Encode, fields: Fields, ...keys: readonly string[]): Buffer[] =>
  keys.map((key) => encode(fields, key))

export const isAbsent = (fields: Fields, key: string): boolean => fields[key] === undefined || fields[key] === null

/** Null, as for the receiver of a creation, is the empty string. */
export const optional = (encode: Encode, fields: Fields, key: string): Buffer =>
  isAbsent(fields, key) ? Buffer.alloc(0) : encode(fields, key)

export function list(fields: Fields, key: string): readonly unknown[] {
  const value = fields[key]
  if (!Array.isArray(value)) throw new CannotEncode(`field ${key} is missing or no list`)
  return value
}

export function object(value: unknown, what: string): Fields {
  if (!isObject(value)) throw new CannotEncode(`${what} is no object`)
  return value
}
