// Randomness that repeats: the same seed gives the same numbers and identities. The generator is mulberry32.

import type { Random } from "../../src/platform/random.js"

const hex4 = Array.from({ length: 65_536 }, (_, value) => value.toString(16).padStart(4, "0"))

export const hex32 = (value: number): string => hex4[(value >>> 16) & 0xffff]! + hex4[value & 0xffff]!

export class SeededRandom implements Random {
  protected state: number

  /** Several parts are mixed, so that neighbours in any of them have nothing in common. */
  constructor(...seed: readonly number[]) {
    this.state = seed.reduce((mixed, part) => Math.imul(mixed ^ (mixed >>> 15) ^ part, 0x9e3779b1)) >>> 0
  }

  uint32(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }

  /** Uniform in [0, 1). */
  next(): number {
    return this.uint32() / 2 ** 32
  }

  /** A whole number in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** A whole number in [from, to]. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1)
  }

  chance(part: number): boolean {
    return this.next() < part
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }

  /** Hex digits, eight a word, without "0x". */
  hex(words: number): string {
    let text = ""
    for (let word = 0; word < words; word++) text += hex32(this.uint32())
    return text
  }

  uuid(): string {
    return this.hex(4).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5")
  }
}

export const seededRandom = (seed: number): SeededRandom => new SeededRandom(seed)
