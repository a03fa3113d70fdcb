// Rows in PostgreSQL's binary COPY format with no test of any value: the floor that the product's CopyBuffer is
// measured against. Whoever writes a row first makes room for all of it.

const nibbles = new Uint8Array(256)
for (let digit = 0; digit < 16; digit++) nibbles[digit.toString(16).charCodeAt(0)] = digit

/** Where the native call overtakes the loop. */
const nativeFromChars = 80
const two32 = 2 ** 32
const tenDigits13 = 13
const wide = { limbs: new Float64Array(16), digits: new Uint16Array(32) }

export class RowBuffer {
  bytes: Buffer
  at = 0
  readonly #initialBytes: number

  constructor(initialBytes: number) {
    this.#initialBytes = initialBytes
    this.bytes = Buffer.allocUnsafeSlow(initialBytes)
  }

  /** Must come before the fields of a row. */
  room(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.at + bytes))
    this.bytes.copy(grown, 0, 0, this.at)
    this.bytes = grown
  }

  row(fields: number): void {
    this.bytes[this.at++] = 0
    this.bytes[this.at++] = fields
  }

  null(): void {
    this.length(-1)
  }

  length(value: number): void {
    const { bytes, at } = this
    bytes[at] = value >> 24
    bytes[at + 1] = value >> 16
    bytes[at + 2] = value >> 8
    bytes[at + 3] = value
    this.at = at + 4
  }

  int2(value: number): void {
    this.length(2)
    this.bytes[this.at++] = value >> 8
    this.bytes[this.at++] = value
  }

  int4(value: number): void {
    this.length(4)
    this.length(value)
  }

  int8(value: number): void {
    this.length(8)
    this.length(Math.floor(value / two32))
    this.length(value | 0)
  }

  /** "0x…" as bytea. */
  hex(text: string): void {
    this.length((text.length - 2) >> 1)
    this.digits(text, 2)
  }

  /** The digits from a position on, without a length before them. */
  digits(text: string, from: number): void {
    const { bytes } = this
    let { at } = this
    if (text.length >= nativeFromChars) {
      this.at = at + bytes.write(text.slice(from), at, "hex")
      return
    }
    for (let i = from; i < text.length; i += 2) {
      bytes[at++] = (nibbles[text.charCodeAt(i)]! << 4) | nibbles[text.charCodeAt(i + 1)]!
    }
    this.at = at
  }

  /** A field of another buffer, its length included. */
  fieldFrom(source: RowBuffer, start: number, end: number): void {
    const { bytes } = this
    let { at } = this
    for (let i = start; i < end; i++) bytes[at++] = source.bytes[i]!
    this.at = at
  }

  text(value: string): void {
    const start = this.at
    this.at = start + 4
    const length = this.bytes.write(value, this.at, "latin1")
    this.at = start
    this.length(length)
    this.at += length
  }

  /** A hex quantity as numeric. */
  numeric(text: string): void {
    const { digits } = wide
    const count = text.length - 2 <= tenDigits13 ? smallDigits(text) : wideDigits(text)
    let low = 0
    while (low < count && digits[low] === 0) low++
    const kept = count - low
    this.length(8 + kept * 2)
    const { bytes } = this
    let { at } = this
    bytes[at++] = 0
    bytes[at++] = kept
    bytes[at++] = 0
    bytes[at++] = kept === 0 ? 0 : count - 1
    bytes[at++] = 0
    bytes[at++] = 0
    bytes[at++] = 0
    bytes[at++] = 0
    for (let i = count - 1; i >= low; i--) {
      const digit = digits[i]!
      bytes[at++] = digit >> 8
      bytes[at++] = digit
    }
    this.at = at
  }

  /** The bytes so far; they are the caller's, who may transfer them to another thread. */
  take(): Buffer {
    const taken = this.bytes.subarray(0, this.at)
    this.bytes = Buffer.allocUnsafeSlow(Math.max(this.#initialBytes, this.at + (this.at >> 3)))
    this.at = 0
    return taken
  }
}

/** Base-10000 digits into `wide.digits`, least significant first; returns how many. */
function smallDigits(text: string): number {
  const { digits } = wide
  let value = 0
  for (let i = 2; i < text.length; i++) value = value * 16 + nibbles[text.charCodeAt(i)]!
  let count = 0
  while (value > 0) {
    const rest = Math.floor(value / 10_000)
    digits[count++] = value - rest * 10_000
    value = rest
  }
  return count
}

function wideDigits(text: string): number {
  const { limbs, digits } = wide
  // 24 bits a limb, most significant first, so that limb and remainder stay exact in a double.
  let size = 0
  for (let i = 2; i < text.length; ) {
    const end = i + ((text.length - i) % 6 || 6)
    let limb = 0
    for (; i < end; i++) limb = (limb << 4) | nibbles[text.charCodeAt(i)]!
    limbs[size++] = limb
  }
  let count = 0
  for (let top = 0; top < size; ) {
    let rest = 0
    for (let k = top; k < size; k++) {
      const value = rest * 0x1000000 + limbs[k]!
      const quotient = Math.floor(value / 10_000)
      limbs[k] = quotient
      rest = value - quotient * 10_000
    }
    digits[count++] = rest
    while (top < size && limbs[top] === 0) top++
  }
  while (count > 0 && digits[count - 1] === 0) count--
  return count
}
