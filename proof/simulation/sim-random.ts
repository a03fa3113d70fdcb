// Randomness of a seed. Streams that are drawn from it by name do not disturb each other, so that taking a fault out of a plan leaves
// the rest as it was.

import type { Random } from "../../src/platform/random.js"

export class SimRandom implements Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  uuid(): string {
    return `${this.word()}${this.word()}`
  }

  /** A whole number in [from, to]. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  chance(part: number): boolean {
    return this.next() < part
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.next() * items.length)]!
  }

  stream(name: number): SimRandom {
    return new SimRandom(Math.imul(this.state ^ Math.imul(name + 1, 0x9e3779b1), 0x85ebca6b) ^ (name << 7))
  }

  private word(): string {
    return Math.floor(this.next() * 2 ** 32)
      .toString(16)
      .padStart(8, "0")
  }
}
