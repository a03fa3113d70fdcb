// Rows of a binary COPY, kept in the bytes they arrived in: a field is decoded when it is read, or copied as it is.
// One buffer and one array of positions hold all rows.

const signatureBytes = 11
const microsTo2000 = 946_684_800_000_000n
const nullField = Buffer.from([0xff, 0xff, 0xff, 0xff])

export class BinaryRows {
  readonly count: number
  private readonly buffer: Buffer
  private readonly fields: number
  /** Where each field's value begins; -1 for null. */
  private readonly starts: Int32Array

  constructor(buffer: Buffer, fields: number) {
    this.buffer = buffer
    this.fields = fields
    let at = signatureBytes + 4
    at += 4 + buffer.readInt32BE(at)
    let starts = new Int32Array(Math.max(64, fields * 256))
    let count = 0
    for (;;) {
      const found = buffer.readInt16BE(at)
      at += 2
      if (found === -1) break
      if (found !== fields) throw new Error(`a row has ${found} fields instead of ${fields}`)
      const first = count * fields
      if (first + fields > starts.length) {
        const grown = new Int32Array(starts.length * 2)
        grown.set(starts)
        starts = grown
      }
      for (let field = 0; field < fields; field++) {
        const length = buffer.readInt32BE(at)
        at += 4
        starts[first + field] = length < 0 ? -1 : at
        if (length > 0) at += length
      }
      count++
    }
    this.starts = starts
    this.count = count
  }

  isNull(row: number, field: number): boolean {
    return this.starts[row * this.fields + field] === -1
  }

  int2(row: number, field: number): number | null {
    const at = this.starts[row * this.fields + field]!
    return at < 0 ? null : this.buffer.readInt16BE(at)
  }

  int4(row: number, field: number): number | null {
    const at = this.starts[row * this.fields + field]!
    return at < 0 ? null : this.buffer.readInt32BE(at)
  }

  /** Throws for an unsafe integer: heights and counts are always safe. */
  int8(row: number, field: number): number | null {
    const at = this.starts[row * this.fields + field]!
    if (at < 0) return null
    const value = this.buffer.readInt32BE(at) * 2 ** 32 + this.buffer.readUInt32BE(at + 4)
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a safe integer`)
    return value
  }

  bool(row: number, field: number): boolean | null {
    const at = this.starts[row * this.fields + field]!
    return at < 0 ? null : this.buffer[at] === 1
  }

  hex(row: number, field: number): string | null {
    const at = this.starts[row * this.fields + field]!
    return at < 0 ? null : `0x${this.buffer.toString("hex", at, at + this.length(at))}`
  }

  text(row: number, field: number): string | null {
    const at = this.starts[row * this.fields + field]!
    return at < 0 ? null : this.buffer.toString("utf8", at, at + this.length(at))
  }

  /** Microseconds since 1970. */
  timestampUs(row: number, field: number): bigint | null {
    const at = this.starts[row * this.fields + field]!
    return at < 0 ? null : this.buffer.readBigInt64BE(at) + microsTo2000
  }

  /** A numeric without a fraction. */
  bigint(row: number, field: number): bigint | null {
    const at = this.starts[row * this.fields + field]!
    if (at < 0) return null
    const { buffer } = this
    const digits = buffer.readInt16BE(at)
    const weight = buffer.readInt16BE(at + 2)
    if (digits === 0) return 0n
    // Four base-10000 digits stay exact in a double; most quantities have no more.
    let value = 0n
    if (weight < 3) {
      let small = 0
      for (let i = 0; i <= weight; i++) small = small * 10_000 + (i < digits ? buffer.readInt16BE(at + 8 + i * 2) : 0)
      value = BigInt(small)
    } else {
      for (let i = 0; i <= weight; i++)
        value = value * 10_000n + BigInt(i < digits ? buffer.readInt16BE(at + 8 + i * 2) : 0)
    }
    return buffer.readUInt16BE(at + 4) === 0x4000 ? -value : value
  }

  /** Passes the field with its length prefix to `make`, for writing it into another binary COPY. */
  encoded<T>(row: number, field: number, make: (source: Uint8Array, start: number, end: number) => T): T {
    const at = this.starts[row * this.fields + field]!
    return at < 0 ? make(nullField, 0, 4) : make(this.buffer, at - 4, at + this.length(at))
  }

  private length(at: number): number {
    return this.buffer.readInt32BE(at - 4)
  }
}
