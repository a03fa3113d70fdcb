// One field of a row in binary COPY format (its length, then its bytes), passed from a raw table to a derived one without
// conversion to a JavaScript value and back.

export class EncodedField {
  /** Contains the field; bytes before `start` and from `end` on belong to others. */
  readonly source: Uint8Array
  readonly start: number
  readonly end: number

  /** The view of the bytes is created on demand: most fields are only copied. */
  constructor(source: Uint8Array, start = 0, end = source.length) {
    this.source = source
    this.start = start
    this.end = end
  }

  /** Includes the length before the content. */
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
