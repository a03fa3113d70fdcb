// Hex text as nodes send it: cheap tests for the one canonical form (lower case, no leading zeros in quantities).
// Character tables instead of regular expressions: these run over most of every reply.

import { nibbles } from "../../../postgres/hex.js"

/**
 * Values of lower case digits, 16 for every other code unit: one entry for each, so that no bounds check is needed.
 */
const lowerDigits = new Uint8Array(65_536).fill(16)
for (let i = 0; i < 16; i++) lowerDigits[i.toString(16).charCodeAt(0)] = i

const has0x = (text: string): boolean => text.charCodeAt(0) === 0x30 && text.charCodeAt(1) === 0x78

function isLowerFrom(text: string, from: number): boolean {
  // No early exit: nearly every text passes, and this takes half the time of a loop with a branch.
  let wrong = 0
  for (let i = from; i < text.length; i++) wrong |= lowerDigits[text.charCodeAt(i)]!
  return wrong < 16
}

/** "0x" and an even number of lower case digits. */
export const isHexBytes = (text: unknown): text is string =>
  typeof text === "string" && (text.length & 1) === 0 && has0x(text) && isLowerFrom(text, 2)

/** The same, of exactly this many bytes. */
export const isFixedHex = (text: unknown, bytes: number): text is string =>
  typeof text === "string" && text.length === 2 + 2 * bytes && has0x(text) && isLowerFrom(text, 2)

/** Writes the bytes of "0x" and lower case digits to the start of `bytes`; false when there is another character. */
export function readLowerHex(text: string, bytes: Uint8Array): boolean {
  let seen = has0x(text) ? 0 : 16
  let at = 0
  for (let i = 2; i < text.length; i += 2) {
    const high = lowerDigits[text.charCodeAt(i)]!
    const low = lowerDigits[text.charCodeAt(i + 1)]!
    seen |= high | low
    bytes[at++] = (high << 4) | low
  }
  return seen < 16
}

/** "0x0", or "0x" and lower case digits without a leading zero. */
export function isQuantity(text: unknown): text is string {
  if (typeof text !== "string" || text.length < 3 || !has0x(text)) return false
  if (text.charCodeAt(2) === 0x30) return text.length === 3
  return isLowerFrom(text, 2)
}

/** The value of a quantity in any spelling; NaN when it is no quantity or above 2^53. */
export function quantityValue(text: unknown): number {
  if (typeof text !== "string" || text.length < 3 || !has0x(text)) return Number.NaN
  let value = 0
  for (let i = 2; i < text.length; i++) {
    const digit = nibbles[text.charCodeAt(i)]!
    if (digit > 15) return Number.NaN
    value = value * 16 + digit
  }
  return value <= Number.MAX_SAFE_INTEGER ? value : Number.NaN
}

const small = Array.from({ length: 4096 }, (_, i) => `0x${i.toString(16)}`)

/** The canonical text of a whole number. */
export const quantityText = (value: number): string => small[value] ?? `0x${value.toString(16)}`

/** The canonical quantity for what a node sent, null when that is no quantity. */
export function toQuantity(value: unknown): string | null {
  if (isQuantity(value)) return value
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return quantityText(value)
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{1,512}$/.test(value)) return null
  return `0x${BigInt(value).toString(16)}`
}

/** The canonical bytes for what a node sent, null when that is no hex text (or not of the given length). */
export function toHexBytes(value: unknown, bytes?: number): string | null {
  if (typeof value !== "string" || (bytes !== undefined && value.length !== 2 + 2 * bytes)) return null
  const lower: string = value.toLowerCase()
  return isHexBytes(lower) ? lower : null
}

/** Equal, or equal but for the case of their digits. */
export const sameHex = (a: unknown, b: unknown): boolean =>
  a === b ||
  (typeof a === "string" && typeof b === "string" && a.length === b.length && a.toLowerCase() === b.toLowerCase())

/** Equal as text, or the same number in another spelling. */
export const sameQuantity = (text: unknown, value: number): boolean =>
  text === small[value] || quantityValue(text) === value || text === value
