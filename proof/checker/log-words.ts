// Reading the 32-byte words of topics and data, all of it hex. `undefined` is "malformed": never an error.

import { keccak_256 } from "@noble/hashes/sha3"
import type { RawLog } from "./read-raw.js"

export const zeroAddress = "00".repeat(20)

export const keccak = (bytes: Uint8Array): string => Buffer.from(keccak_256(bytes)).toString("hex")
export const topicOf = (signature: string): string => keccak(Buffer.from(signature))

const wordDigits = 64

export const topicsAreWhole = (log: RawLog): boolean => log.topics.every((topic) => topic.length === wordDigits)

/** The i-th whole word of the data. */
export function dataWord(log: RawLog, i: number): string | undefined {
  const word = (log.data ?? "").slice(i * wordDigits, (i + 1) * wordDigits)
  return word.length === wordDigits ? word : undefined
}

export function asAddress(word: string | undefined): string | undefined {
  if (word?.length !== wordDigits || !word.startsWith("00".repeat(12))) return undefined
  return word.slice(24)
}

export const asNumber = (word: string | undefined): bigint | undefined =>
  word?.length === wordDigits ? BigInt(`0x${word}`) : undefined

/** A dynamic array of numbers whose offset stands in the data's word `at`. */
export function dataArray(log: RawLog, at: number): bigint[] | undefined {
  const digits = log.data ?? ""
  const bytes = BigInt(digits.length / 2)
  const offset = asNumber(dataWord(log, at))
  if (offset === undefined || offset + 32n > bytes) return undefined
  const start = Number(offset) * 2
  const length = asNumber(digits.slice(start, start + wordDigits))
  if (length === undefined || offset + 32n + length * 32n > bytes) return undefined
  const numbers: bigint[] = []
  for (let i = 1; i <= Number(length); i++)
    numbers.push(BigInt(`0x${digits.slice(start + i * wordDigits, start + (i + 1) * wordDigits)}`))
  return numbers
}
