// What a contract's answer means: the ABI's string, the bytes32 of old tokens, a small number. Total: the answer is
// whatever the contract's author wanted it to be, and what makes no sense is null.

import { displayBytes } from "./display-text.js"

export const maxRawBytes = 65_536

const wordBytes = 32

/** The text of name() or symbol(), null when there is nothing in it to show. */
export function textOf(answer: Uint8Array): string | null {
  const bytes = stringOf(answer) ?? (answer.length === wordBytes ? withoutPadding(answer) : undefined)
  return (bytes && displayBytes(bytes)) || null
}

/** A text of any length, as it is; undefined when there is none. */
export function longTextOf(answer: Uint8Array): string | undefined {
  const bytes = stringOf(answer)
  return bytes?.length ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes).trim() : undefined
}

/** decimals(), null when it is no number from 0 to 255. */
export function decimalsOf(answer: Uint8Array): number | null {
  return smallNumberAt(answer, 0, 255) ?? null
}

/** The bytes of an ABI-encoded string; undefined when offset or length lead out of the answer. */
function stringOf(answer: Uint8Array): Uint8Array | undefined {
  const offset = smallNumberAt(answer, 0, answer.length)
  if (offset === undefined) return undefined
  const length = smallNumberAt(answer, offset, answer.length)
  if (length === undefined) return undefined
  const start = offset + wordBytes
  // Some old compilers leave the padding out, so only the text itself has to be there.
  return start + length <= answer.length ? answer.subarray(start, start + length) : undefined
}

/** Text in a word, up to its first zero byte. */
function withoutPadding(word: Uint8Array): Uint8Array {
  const end = word.indexOf(0)
  return end < 0 ? word : word.subarray(0, end)
}

/** The word at a place, when it is there and not above the limit. */
export function smallNumberAt(bytes: Uint8Array, at: number, limit: number): number | undefined {
  if (at < 0 || at + wordBytes > bytes.length) return undefined
  for (let i = 0; i < wordBytes - 4; i++) if (bytes[at + i] !== 0) return undefined
  const value = new DataView(bytes.buffer, bytes.byteOffset + at + wordBytes - 4, 4).getUint32(0)
  return value <= limit ? value : undefined
}
