// The types of an ABI's parameters, read once into trees that the decoder walks.

import type { AbiParameter } from "../parse-abi.js"

export interface AbiField {
  readonly name: string
  /** As it stands in a signature: a tuple is the list of its types. */
  readonly text: string
  readonly type: AbiType
}

export type AbiType = { readonly isDynamic: boolean; readonly headBytes: number } & (
  | { readonly kind: "address" }
  | { readonly kind: "bool" }
  | { readonly kind: "bytes" }
  | { readonly kind: "string" }
  | { readonly kind: "uint" | "int"; readonly bits: number }
  | { readonly kind: "word"; readonly bytes: number }
  | { readonly kind: "array"; readonly of: AbiType; readonly length: number | undefined }
  | { readonly kind: "tuple"; readonly fields: readonly AbiField[] }
)

const wordBytes = 32
const oneWord = { isDynamic: false, headBytes: wordBytes }
const pointer = { isDynamic: true, headBytes: wordBytes }

export function abiField({ name, type, components = [] }: AbiParameter): AbiField {
  const suffix = /(\[\d*\])*$/.exec(type)![0]
  const base = type.slice(0, type.length - suffix.length)
  const fields = components.map(abiField)
  const lengths = [...suffix.matchAll(/\[(\d*)\]/g)].map(([, length]) => (length ? Number(length) : undefined))
  return {
    name,
    text: `${base === "tuple" ? `(${fields.map(({ text }) => text).join(",")})` : fullName(base)}${suffix}`,
    type: lengths.reduce<AbiType>(arrayOf, typeOf(base, fields)),
  }
}

/** A signature has no shortened names. */
const fullName = (base: string): string => (base === "uint" || base === "int" ? `${base}256` : base)

function typeOf(base: string, fields: readonly AbiField[]): AbiType {
  if (base === "tuple") {
    const isDynamic = fields.some(({ type }) => type.isDynamic)
    const headBytes = isDynamic ? wordBytes : fields.reduce((sum, { type }) => sum + type.headBytes, 0)
    return { kind: "tuple", fields, isDynamic, headBytes }
  }
  if (base === "address") return { kind: "address", ...oneWord }
  if (base === "bool") return { kind: "bool", ...oneWord }
  if (base === "bytes") return { kind: "bytes", ...pointer }
  if (base === "string") return { kind: "string", ...pointer }
  // An address and a selector.
  if (base === "function") return { kind: "word", bytes: 24, ...oneWord }
  const [, kind, size] = /^(uint|int|bytes)(\d*)$/.exec(base)!
  return kind === "bytes"
    ? { kind: "word", bytes: Number(size), ...oneWord }
    : { kind: kind as "uint" | "int", bits: Number(size || 256), ...oneWord }
}

function arrayOf(of: AbiType, length: number | undefined): AbiType {
  const isDynamic = length === undefined || of.isDynamic
  return { kind: "array", of, length, isDynamic, headBytes: isDynamic ? wordBytes : of.headBytes * length }
}
