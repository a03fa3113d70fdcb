// Values in answers and arguments: bytes as 0x hex, numbers that may exceed 2^53 as strings of digits, times as ISO 8601.

import {
  GraphQLBoolean,
  GraphQLError,
  GraphQLInt,
  GraphQLScalarType,
  GraphQLString,
  Kind,
  type ValueNode,
} from "graphql"
import type { ColumnKind } from "../../workers/column.js"

interface Pattern {
  readonly name: string
  readonly description: string
  readonly pattern: RegExp
  readonly hint: string
  serialize(value: unknown): unknown
  /** For statements. */
  parse(text: string): unknown
}

const textOf = (node: ValueNode): string | undefined =>
  node.kind === Kind.STRING || node.kind === Kind.INT ? node.value : undefined

function scalar({ name, description, pattern, hint, serialize, parse }: Pattern): GraphQLScalarType {
  const parsed = (text: string | undefined): unknown => {
    if (text !== undefined && pattern.test(text)) return parse(text)
    throw new GraphQLError(`${name} must be ${hint}`)
  }
  return new GraphQLScalarType({
    ...{ name, description, serialize },
    parseValue: (value) =>
      parsed(typeof value === "string" || Number.isSafeInteger(value) ? String(value) : undefined),
    parseLiteral: (node) => parsed(textOf(node)),
  })
}

export const Bytes = scalar({
  name: "Bytes",
  description: "Bytes as 0x and two hexadecimal digits each.",
  pattern: /^0x([0-9a-fA-F]{2}){0,4096}$/,
  hint: "0x and an even number of hexadecimal digits",
  serialize: (value) => (Buffer.isBuffer(value) ? `0x${value.toString("hex")}` : String(value)),
  parse: (text) => Buffer.from(text.slice(2), "hex"),
})
export const BigIntText = scalar({
  name: "BigInt",
  description: "A whole number as a string of digits: it may exceed 2^53. Arguments may also be written as integers.",
  pattern: /^-?[0-9]{1,78}$/,
  hint: "a whole number of at most 78 digits",
  serialize: String,
  parse: (text) => text,
})
const Timestamp = scalar({
  name: "Timestamp",
  description: "A time as ISO 8601, in UTC.",
  pattern: /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/,
  hint: "a time such as 2024-02-27T12:00:00Z",
  serialize: (value) => (value instanceof Date ? value.toISOString() : String(value)),
  parse: existing,
})
const Day = scalar({
  name: "Date",
  description: "A UTC day.",
  pattern: /^[1-9]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  hint: "a day such as 2024-02-27",
  serialize: String,
  parse: existing,
})

/** Not 30 February, which a date would take for 1 March. */
function existing(text: string): string {
  const at = new Date(text)
  if (!Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === text.slice(0, 10)) return text
  throw new GraphQLError("there is no such time")
}

export const scalarOf: Readonly<Record<ColumnKind, GraphQLScalarType>> = {
  bytes: Bytes,
  bool: GraphQLBoolean,
  int2: GraphQLInt,
  int4: GraphQLInt,
  int8: BigIntText,
  amount: BigIntText,
  numeric: BigIntText,
  text: GraphQLString,
  timestamp: Timestamp,
  date: Day,
}
