// Multicall3's aggregate3: many questions in one eth_call. Encoding and reading of this one shape; a reply that does
// not have it is undefined, never an error.

import type { Hex } from "../../../../domain/linked-block.js"
import { smallNumberAt } from "./metadata-answer.js"

/** The same on every chain that has it. */
export const multicallAddress = "0xca11bde05977b3631167028862be2a173976ca11"

const aggregate3 = "0x82ad56cb"
const wordBytes = 32

export interface Question {
  readonly contract: Hex
  /** A selector: four bytes. */
  readonly data: Hex
}

/** aggregate3((target, allowFailure, callData)[]), every failure allowed. */
export function encodeMulticall(questions: readonly Question[]): Hex {
  const tupleBytes = 5 * wordBytes
  const offsets = questions.map((_, i) => word(questions.length * wordBytes + i * tupleBytes))
  const tuples = questions.map(
    ({ contract, data }) =>
      `${contract.slice(2).padStart(64, "0")}${word(1)}${word(3 * wordBytes)}${word(4)}${data.slice(2).padEnd(64, "0")}`,
  )
  return `${aggregate3}${word(wordBytes)}${word(questions.length)}${offsets.join("")}${tuples.join("")}`
}

/**
 * What each question gave: its bytes, or null where the call failed. Undefined when the reply is not (success,
 * bytes)[] of that length.
 */
export function decodeMulticall(reply: Uint8Array, count: number): (Uint8Array | null)[] | undefined {
  const limit = reply.length
  const list = smallNumberAt(reply, 0, limit)
  if (list === undefined || smallNumberAt(reply, list, limit) !== count) return undefined
  const base = list + wordBytes
  const results: (Uint8Array | null)[] = []
  for (let i = 0; i < count; i++) {
    const offset = smallNumberAt(reply, base + i * wordBytes, limit)
    if (offset === undefined) return undefined
    const tuple = base + offset
    const success = smallNumberAt(reply, tuple, 1)
    const bytesOffset = smallNumberAt(reply, tuple + wordBytes, limit)
    if (success === undefined || bytesOffset === undefined) return undefined
    const length = smallNumberAt(reply, tuple + bytesOffset, limit)
    const start = tuple + bytesOffset + wordBytes
    if (length === undefined || start + length > limit) return undefined
    results.push(success === 1 ? reply.subarray(start, start + length) : null)
  }
  return results
}

const word = (value: number): string => value.toString(16).padStart(64, "0")
