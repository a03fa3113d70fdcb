// Decodes ABI values into JSON. Whoever sent the data chose every offset and length in it, and a few bytes may point at the
// same large value a thousand times: so what is made of it is counted, and what is not exactly as its type says is refused.

import type { AbiField, AbiType } from "./abi-type.js"

export interface DecodedValue {
  readonly name: string
  readonly type: string
  /** Numbers in decimal, bytes in hex; an array of values; a tuple is an array of these. */
  readonly value: unknown
}

/** What may still be made, shared by all values of an answer. */
export interface DecodeBudget {
  values: number
  /** Of bytes and texts. */
  bytes: number
}

/** The data is not of these types, or too much. */
class Undecodable extends Error {}

const wordBytes = 32
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Undefined: the data is not of these types, or too much. What stands behind the values is passed over. */
export function decodeValues(
  fields: readonly AbiField[],
  data: Buffer,
  budget: DecodeBudget,
): readonly DecodedValue[] | undefined {
  try {
    return readFields(fields, 0, { data, budget })
  } catch (error) {
    if (error instanceof Undecodable) return undefined
    throw error
  }
}

interface Source {
  readonly data: Buffer
  readonly budget: DecodeBudget
}

function readFields(fields: readonly AbiField[], base: number, source: Source): DecodedValue[] {
  let at = base
  return fields.map(({ name, text, type }) => {
    const value = readPart(type, { at, base }, source)
    at += type.headBytes
    return { name, type: text, value }
  })
}

/** A part of a tuple or an array: offsets count from the beginning of the whole. */
function readPart(type: AbiType, { at, base }: { readonly at: number; readonly base: number }, source: Source) {
  return readValue(type, type.isDynamic ? base + readSize(at, source) : at, source)
}

function readValue(type: AbiType, at: number, source: Source): unknown {
  if (--source.budget.values < 0) throw new Undecodable()
  switch (type.kind) {
    case "tuple":
      return readFields(type.fields, at, source)
    case "array": {
      const length = type.length ?? readSize(at, source)
      const base = type.length === undefined ? at + wordBytes : at
      // Before anything is made of it.
      if (length > source.budget.values) throw new Undecodable()
      return Array.from({ length }, (_, nr) => readPart(type.of, { at: base + nr * type.of.headBytes, base }, source))
    }
    case "bytes":
      return hex(readBytes(at, source))
    case "string":
      return readText(at, source)
    default:
      return readWord(type, wordAt(at, source))
  }
}

function readWord(type: Exclude<AbiType, { readonly kind: "tuple" | "array" | "bytes" | "string" }>, word: Buffer) {
  switch (type.kind) {
    case "address":
      assertZero(word.subarray(0, 12))
      return hex(word.subarray(12))
    case "bool":
      assertZero(word.subarray(0, 31))
      if (word[31]! > 1) throw new Undecodable()
      return word[31] === 1
    case "word":
      assertZero(word.subarray(type.bytes))
      return hex(word.subarray(0, type.bytes))
    default:
      return readInteger(word, type)
  }
}

function readInteger(word: Buffer, { kind, bits }: { readonly kind: "uint" | "int"; readonly bits: number }): string {
  const whole = BigInt(hex(word))
  const value = kind === "uint" ? BigInt.asUintN(bits, whole) : BigInt.asIntN(bits, whole)
  if (BigInt.asUintN(256, value) !== whole) throw new Undecodable()
  return value.toString()
}

function readText(at: number, source: Source): string {
  try {
    return utf8.decode(readBytes(at, source))
  } catch {
    throw new Undecodable()
  }
}

function readBytes(at: number, source: Source): Buffer {
  const { data, budget } = source
  const length = readSize(at, source)
  const start = at + wordBytes
  budget.bytes -= length
  if (start + length > data.length || budget.bytes < 0) throw new Undecodable()
  return data.subarray(start, start + length)
}

/** An offset or a length. */
function readSize(at: number, source: Source): number {
  const word = wordAt(at, source)
  assertZero(word.subarray(0, 28))
  return word.readUInt32BE(28)
}

function wordAt(at: number, { data }: Source): Buffer {
  if (at + wordBytes > data.length) throw new Undecodable()
  return data.subarray(at, at + wordBytes)
}

function assertZero(bytes: Buffer): void {
  if (bytes.some((one) => one !== 0)) throw new Undecodable()
}

const hex = (bytes: Buffer): string => `0x${bytes.toString("hex")}`
