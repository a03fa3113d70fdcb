// Reproducible randomness for the demo: the same seed gives the same sequence on every machine.

export class SeededRandom {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(...parts: readonly (string | number)[]) {
    const text = parts.join("/")
    this.#a = hashText(text, 0x9e3779b9)
    this.#b = hashText(text, 0x243f6a88)
    this.#c = hashText(text, 0xb7e15162)
    for (let i = 0; i < 12; i++) this.next()
  }

  /** Uniform in [0, 1). The generator is sfc32. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return (sum >>> 0) / 4294967296
  }

  /** A whole number in [from, to). */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length)]!
  }

  /** `count` different items, in a random order. */
  sample<T>(items: readonly T[], count: number): T[] {
    const rest = [...items]
    const taken: T[] = []
    while (taken.length < count && rest.length > 0) {
      taken.push(...rest.splice(this.integer(0, rest.length), 1))
    }
    return taken
  }
}

/** FNV-1a with a starting value. */
function hashText(text: string, start: number): number {
  let hash = start
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash | 0
}
