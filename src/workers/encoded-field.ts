// One field of a row as binary COPY carries it (its length, then its bytes), passed from a raw table to a derived one
// without being turned into a JavaScript value and back.

export class EncodedField {
  /** Where the field lies; what is before and after belongs to others. */
  readonly source: Uint8Array
  readonly start: number
  readonly end: number

  /** All of the bytes, unless it says which. No window is made of them until somebody asks: most fields are only copied. */
  constructor(source: Uint8Array, start = 0, end = source.length) {
    this.source = source
    this.start = start
    this.end = end
  }

  /** The length before the content included. */
  get byteLength(): number {
    return this.end - this.start
  }

  get bytes(): Uint8Array {
    return this.source.subarray(this.start, this.end)
  }

  /** A length of -1; nothing else has its first bit set. */
  get isNull(): boolean {
    return this.end > this.start && this.source[this.start]! >= 0x80
  }
}
