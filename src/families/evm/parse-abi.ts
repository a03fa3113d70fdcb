// Reads a contract ABI that a person gave: every field is checked and bounded, and fields that nothing here reads are
// dropped, so that what is stored is exactly what decoders may rely on.

import { IndexerError } from "../../platform/errors.js"

export interface AbiParameter {
  readonly name: string
  readonly type: string
  readonly indexed?: boolean
  readonly components?: readonly AbiParameter[]
}

export interface AbiEntry {
  readonly type: "function" | "event" | "error" | "constructor" | "fallback" | "receive"
  readonly name?: string
  readonly inputs?: readonly AbiParameter[]
  readonly outputs?: readonly AbiParameter[]
  readonly anonymous?: boolean
  readonly stateMutability?: string
}

const mostEntries = 2_000
const mostParameters = 64
const deepest = 8
const named = ["function", "event", "error"]
const types = [...named, "constructor", "fallback", "receive"]
const mutabilities = ["pure", "view", "nonpayable", "payable"]
const identifier = /^[A-Za-z_$][A-Za-z0-9_$]{0,127}$/
const typePattern = /^(address|bool|string|function|tuple|bytes(\d{0,2})|u?int(\d{0,3}))((\[([1-9]\d{0,5})?\]){0,4})$/

/** Throws USAGE, with the place of the fault. */
export function parseAbi(value: unknown): readonly AbiEntry[] {
  if (!Array.isArray(value)) throw wrong("the ABI", "is not an array")
  if (value.length === 0 || value.length > mostEntries) throw wrong("the ABI", `has not 1 to ${mostEntries} entries`)
  return value.map((entry, at) => parseEntry(entry, `entry ${at}`))
}

function parseEntry(value: unknown, where: string): AbiEntry {
  if (!isRecord(value)) throw wrong(where, "is not an object")
  const { type = "function", name, inputs, outputs, anonymous, stateMutability } = value
  if (typeof type !== "string" || !types.includes(type)) throw wrong(where, `has no type of ${types.join(", ")}`)
  const isNamed = named.includes(type)
  if (isNamed && (typeof name !== "string" || !identifier.test(name))) throw wrong(where, "has no valid name")
  if (anonymous !== undefined && typeof anonymous !== "boolean")
    throw wrong(where, "has an anonymous that is no boolean")
  const hasMutability = type !== "event" && type !== "error" && stateMutability !== undefined
  if (hasMutability && !mutabilities.includes(stateMutability as string))
    throw wrong(where, `has no stateMutability of ${mutabilities.join(", ")}`)
  return {
    type: type as AbiEntry["type"],
    ...(isNamed ? { name: name as string } : {}),
    ...(inputs === undefined ? {} : { inputs: parseParameters(inputs, `${where}, inputs`, 0) }),
    ...(outputs === undefined || type !== "function"
      ? {}
      : { outputs: parseParameters(outputs, `${where}, outputs`, 0) }),
    ...(type === "event" && anonymous ? { anonymous } : {}),
    ...(hasMutability ? { stateMutability: stateMutability as string } : {}),
  }
}

function parseParameters(value: unknown, where: string, depth: number): readonly AbiParameter[] {
  if (!Array.isArray(value) || value.length > mostParameters)
    throw wrong(where, `is not an array of at most ${mostParameters}`)
  if (depth > deepest) throw wrong(where, `is nested more than ${deepest} deep`)
  return value.map((parameter, at) => parseParameter(parameter, `${where} ${at}`, depth))
}

function parseParameter(value: unknown, where: string, depth: number): AbiParameter {
  if (!isRecord(value)) throw wrong(where, "is not an object")
  const { name = "", type, indexed, components } = value
  if (typeof name !== "string" || (name !== "" && !identifier.test(name))) throw wrong(where, "has no valid name")
  if (typeof type !== "string" || !isType(type)) throw wrong(where, "has no valid type")
  if (indexed !== undefined && typeof indexed !== "boolean") throw wrong(where, "has an indexed that is no boolean")
  const isTuple = type.startsWith("tuple")
  if (isTuple !== (components !== undefined))
    throw wrong(where, "has components, or lacks them: a tuple has them, and nothing else")
  // Of such any number fits into no bytes.
  if (isTuple && Array.isArray(components) && components.length === 0) throw wrong(where, "is a tuple of nothing")
  return {
    name,
    type,
    ...(indexed === undefined ? {} : { indexed }),
    ...(isTuple ? { components: parseParameters(components, `${where}, components`, depth + 1) } : {}),
  }
}

function isType(type: string): boolean {
  const [, base = "", bytes, bits] = typePattern.exec(type) ?? []
  if (base === "") return false
  if (bytes) return !bytes.startsWith("0") && Number(bytes) <= 32
  return !bits || (!bits.startsWith("0") && Number(bits) <= 256 && Number(bits) % 8 === 0)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const wrong = (where: string, what: string): IndexerError => new IndexerError("USAGE", `${where} ${what}`)
