// Reads the 32-byte words of topics and data from their hex text, without BigInt or bytes, since this runs for most
// logs of a chain. Never throws: a word that is missing or of another kind is null.

import type { Hex } from "../../../../domain/linked-block.js"

/** The sender of a mint and the receiver of a burn. */
export const zeroAddress: Hex = `0x${"0".repeat(40)}`

const wordDigits = 64
const addressPadding = "0".repeat(24)
/** All but the lowest four bytes. No data is that long, so a larger number is always out of bounds. */
const sizePadding = "0".repeat(56)

export const isWord = (topic: Hex | undefined): topic is Hex => topic !== undefined && topic.length === 2 + wordDigits

/** Whole bytes of the data. */
export const dataLength = (data: Hex | null): number => (data === null || data.length < 2 ? 0 : (data.length - 2) >> 1)

/** The word that starts at this byte. */
export function wordAt(data: Hex | null, byte: number): Hex | null {
  if (data === null) return null
  const at = 2 + 2 * byte
  return at + wordDigits <= data.length ? `0x${data.slice(at, at + wordDigits)}` : null
}

/** The address in the word that starts at this byte; null when its upper 12 bytes are not zero. */
export function addressAt(data: Hex | null, byte: number): Hex | null {
  if (data === null) return null
  const at = 2 + 2 * byte
  if (at + wordDigits > data.length || !data.startsWith(addressPadding, at)) return null
  return `0x${data.slice(at + addressPadding.length, at + wordDigits)}`
}

/** The address in a topic. */
export const topicAddress = (topic: Hex | undefined): Hex | null => (isWord(topic) ? addressAt(topic, 0) : null)

/** An offset or a length; null when it is missing or too large for any data. */
export function sizeAt(data: Hex | null, byte: number): number | null {
  if (data === null) return null
  const at = 2 + 2 * byte
  if (at + wordDigits > data.length || !data.startsWith(sizePadding, at)) return null
  const size = Number.parseInt(data.slice(at + sizePadding.length, at + wordDigits), 16)
  return Number.isNaN(size) ? null : size
}
