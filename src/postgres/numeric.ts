// PostgreSQL's binary numeric: base-10000 digits, most significant first, without leading or trailing zeros.
// Hex quantities are converted by number arithmetic, without BigInt, and are never rounded.

import { nibbles, notHex } from "./hex.js"

/** Two base-10000 digits to a limb: 1e8 * 2^24 stays exact in a double. */
const limbBase = 1e8
const chunkDigits = 6

/** Scratch space of one encoder: the limbs of the current number, least significant first. */
export class NumericDigits {
  /** Base-10000 digits, most significant first; `count` of them are valid, trailing zeros already dropped. */
  digits = new Uint16Array(64)
  count = 0
  /** The power of 10000 of the first digit. */
  weight = 0
  #limbs = new Float64Array(32)

  fromHex(hex: string): void {
    const end = hex.length
    if (end < 3 || hex.charCodeAt(0) !== 48 || hex.charCodeAt(1) !== 120) throw notHex(hex)
    // The first chunk has at most 13 digits, which a double holds exactly; the rest is a multiple of six.
    let at = 2
    const leading = end - at <= 13 ? end - at : 7 + ((end - at - 7) % chunkDigits)
    let value = 0
    // Or-ing all digits reveals a bad character at the end: one test instead of one per digit.
    let seen = 0
    for (const stop = at + leading; at < stop; at++) {
      const digit = nibbles[hex.charCodeAt(at)]!
      seen |= digit
      value = value * 16 + digit
    }
    if (at === end) {
      if (seen > 15) throw notHex(hex)
      this.fromNumber(value)
      return
    }

    if (this.#limbs.length < end) this.#limbs = new Float64Array(end)
    const limbs = this.#limbs
    const top = Math.floor(value / limbBase)
    limbs[0] = value - top * limbBase
    limbs[1] = top
    let size = top > 0 ? 2 : 1
    while (at < end) {
      let carry = 0
      for (const stop = at + chunkDigits; at < stop; at++) {
        const digit = nibbles[hex.charCodeAt(at)]!
        seen |= digit
        carry = (carry << 4) | (digit & 15)
      }
      for (let i = 0; i < size; i++) {
        const product = limbs[i]! * 0x1000000 + carry
        // Exact: the quotient is below 2^25, where half a step of a double is far less than 1 / limbBase.
        carry = Math.floor(product / limbBase)
        limbs[i] = product - carry * limbBase
      }
      if (carry > 0) limbs[size++] = carry
    }
    if (seen > 15) throw notHex(hex)
    this.#fromLimbs(limbs, size)
  }

  /** A non-negative safe integer. */
  fromNumber(value: number): void {
    if (value < limbBase) {
      this.#limbs[0] = value
      this.#fromLimbs(this.#limbs, 1)
    } else {
      const limbs = this.#limbs
      const rest = Math.floor(value / limbBase)
      const top = Math.floor(rest / limbBase)
      limbs[0] = value - rest * limbBase
      limbs[1] = rest - top * limbBase
      limbs[2] = top
      this.#fromLimbs(limbs, 3)
    }
  }

  #fromLimbs(limbs: Float64Array, limbCount: number): void {
    if (this.digits.length < limbCount * 2) this.digits = new Uint16Array(limbCount * 2)
    const digits = this.digits
    let size = limbCount
    while (size > 0 && limbs[size - 1] === 0) size--
    let count = 0
    let weight = size * 2 - 1
    for (let i = size - 1; i >= 0; i--) {
      const limb = limbs[i]! | 0
      const high = (limb / 10_000) | 0
      if (count > 0 || high > 0) digits[count++] = high
      else weight--
      digits[count++] = limb - high * 10_000
    }
    while (count > 0 && digits[count - 1] === 0) count--
    this.count = count
    this.weight = count === 0 ? 0 : weight
  }
}
