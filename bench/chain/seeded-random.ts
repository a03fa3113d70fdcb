// sfc32: a small, quick generator whose whole state comes from four numbers. Equal seeds give equal streams.

const hex4 = Array.from({ length: 65_536 }, (_, value) => value.toString(16).padStart(4, "0"))

export class SeededRandom {
  #a: number
  #b: number
  #c: number
  #d: number

  constructor(a: number, b: number, c: number, d: number) {
    this.#a = a | 0
    this.#b = b | 0
    this.#c = c | 0
    this.#d = d | 0
    for (let round = 0; round < 12; round++) this.uint32()
  }

  uint32(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0
    this.#d = (this.#d + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  /** Uniform in [0, 1). */
  unit(): number {
    return this.uint32() / 4_294_967_296
  }

  /** A whole number in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.unit() * limit)
  }

  /** Hex digits, eight a word, without "0x". */
  hex(words: number): string {
    let text = ""
    for (let word = 0; word < words; word++) text += hex32(this.uint32())
    return text
  }
}

export const hex32 = (value: number): string => hex4[(value >>> 16) & 0xffff]! + hex4[value & 0xffff]!
