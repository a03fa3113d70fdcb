// Encodes rows in PostgreSQL's binary COPY format into one growing buffer. The hot path of every bulk write: text is
// encoded to bytes directly, and a value that does not fit its type throws instead of wrapping.

import { hexByteLength, writeHex } from "./hex.js"
import { NumericDigits } from "./numeric.js"

/** The signature, no flags, no header extension. */
export const copyHeader = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1")
export const copyTrailer = Buffer.from([0xff, 0xff])

const loopBytes = 48
const two32 = 2 ** 32
const microsTo2000 = 946_684_800_000_000
const daysTo2000 = 10_957

export class CopyBuffer {
  #buffer: Buffer
  #at = 0
  #rows = 0
  #size: number
  readonly #numeric = new NumericDigits()

  constructor(initialBytes = 1 << 16) {
    this.#size = Math.max(initialBytes, 64)
    this.#buffer = Buffer.allocUnsafeSlow(this.#size)
  }

  /** Rows since the last `take` or `reset`. */
  get rows(): number {
    return this.#rows
  }

  get byteLength(): number {
    return this.#at
  }

  /** Starts a row; exactly `fields` values must follow. */
  row(fields: number): void {
    const at = this.#room(2)
    const buffer = this.#buffer
    buffer[at] = fields >> 8
    buffer[at + 1] = fields
    this.#at = at + 2
    this.#rows++
  }

  null(): void {
    this.#writeInt32(this.#room(4), -1)
    this.#at += 4
  }

  bool(value: boolean): void {
    const at = this.#field(1)
    this.#buffer[at] = value ? 1 : 0
  }

  int2(value: number): void {
    if ((value << 16) >> 16 !== value) throw outOfRange(value, "int2")
    const at = this.#field(2)
    this.#buffer[at] = value >> 8
    this.#buffer[at + 1] = value
  }

  int4(value: number): void {
    if ((value | 0) !== value) throw outOfRange(value, "int4")
    this.#writeInt32(this.#field(4), value)
  }

  int8(value: number): void {
    if (!Number.isSafeInteger(value)) throw outOfRange(value, "int8")
    this.#writeSafe(this.#field(8), value)
  }

  int8Big(value: bigint): void {
    if (BigInt.asIntN(64, value) !== value) throw outOfRange(value, "int8")
    // The position first: #field may replace the buffer.
    const at = this.#field(8)
    this.#buffer.writeBigInt64BE(value, at)
  }

  bytes(value: Uint8Array): void {
    const at = this.#field(value.length)
    this.#buffer.set(value, at)
  }

  /** "0x…" with an even number of digits, as bytea. */
  bytesHex(hex: string): void {
    const at = this.#field(hexByteLength(hex))
    writeHex(this.#buffer, at, hex)
  }

  /** Text, or json; not jsonb, which has a version byte before it. */
  text(value: string): void {
    // UTF-8 needs at most three bytes for each UTF-16 unit, so one pass is enough for all but long texts.
    if (value.length <= 4096) {
      const at = this.#room(4 + value.length * 3)
      const length = this.#buffer.write(value, at + 4, "utf8")
      this.#writeInt32(at, length)
      this.#at = at + 4 + length
    } else {
      const length = Buffer.byteLength(value, "utf8")
      const at = this.#field(length)
      this.#buffer.write(value, at, length, "utf8")
    }
  }

  /** A hex quantity of any width as numeric. */
  numericHex(hex: string): void {
    this.#numeric.fromHex(hex)
    this.#writeNumeric(false)
  }

  numericBig(value: bigint): void {
    const negative = value < 0n
    this.#numeric.fromHex(`0x${(negative ? -value : value).toString(16)}`)
    this.#writeNumeric(negative)
  }

  /** Microseconds since 1970 as timestamptz. */
  timestamptzUs(micros: bigint): void {
    const value = Number(micros)
    // Above 2^53, in the year 2255, the conversion may have rounded.
    if (Number.isSafeInteger(value)) this.#writeSafe(this.#field(8), value - microsTo2000)
    else this.int8Big(micros - BigInt(microsTo2000))
  }

  /** Days since 1970 as date. */
  date(days: number): void {
    this.int4(days - daysTo2000)
  }

  /** An already encoded field: four bytes of length, then the value. */
  rawField(encoded: Uint8Array, start = 0, end = encoded.length): void {
    const length = end - start
    const at = this.#room(length)
    const buffer = this.#buffer
    // Copying an address or a hash takes less time than creating the subarray for the native call.
    if (length <= loopBytes) for (let i = 0; i < length; i++) buffer[at + i] = encoded[start + i]!
    else buffer.set(length === encoded.length ? encoded : encoded.subarray(start, end), at)
    this.#at = at + length
  }

  /**
   * The bytes so far, without a copy. They belong to the caller, who may transfer their ArrayBuffer to a thread; this
   * encoder starts again on new memory.
   */
  take(): Buffer {
    const taken = this.#buffer.subarray(0, this.#at)
    // The next batch is probably as large as this one; growing step by step would copy it several times.
    this.#size = Math.max(64, this.#at + (this.#at >> 3))
    this.#buffer = emptyBuffer
    this.#at = 0
    this.#rows = 0
    return taken
  }

  /** The bytes so far, valid until the next write or reset. */
  view(): Buffer {
    return this.#buffer.subarray(0, this.#at)
  }

  /** Discards the content and keeps the memory, unless it is more than `keepBytes`. */
  reset(keepBytes = Number.POSITIVE_INFINITY): void {
    if (this.#buffer.length > keepBytes) this.#buffer = emptyBuffer
    this.#at = 0
    this.#rows = 0
  }

  /** Grows the buffer if necessary and returns the position to write at. */
  #room(bytes: number): number {
    const at = this.#at
    if (at + bytes > this.#buffer.length) this.#grow(at + bytes)
    return at
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#size, this.#buffer.length * 2, needed))
    this.#buffer.copy(grown, 0, 0, this.#at)
    this.#buffer = grown
  }

  /** Writes a field's length and returns the position of its value, which the caller writes. */
  #field(length: number): number {
    const at = this.#room(4 + length)
    this.#writeInt32(at, length)
    this.#at = at + 4 + length
    return at + 4
  }

  #writeInt32(at: number, value: number): void {
    const buffer = this.#buffer
    buffer[at] = value >> 24
    buffer[at + 1] = value >> 16
    buffer[at + 2] = value >> 8
    buffer[at + 3] = value
  }

  #writeSafe(at: number, value: number): void {
    this.#writeInt32(at, Math.floor(value / two32))
    this.#writeInt32(at + 4, value | 0)
  }

  #writeNumeric(negative: boolean): void {
    const { digits, count, weight } = this.#numeric
    let at = this.#field(8 + count * 2)
    const buffer = this.#buffer
    buffer[at] = count >> 8
    buffer[at + 1] = count
    buffer[at + 2] = weight >> 8
    buffer[at + 3] = weight
    buffer[at + 4] = negative ? 0x40 : 0
    buffer[at + 5] = 0
    buffer[at + 6] = 0
    buffer[at + 7] = 0
    at += 8
    for (let i = 0; i < count; i++) {
      const digit = digits[i]!
      buffer[at++] = digit >> 8
      buffer[at++] = digit
    }
  }
}

const emptyBuffer = Buffer.alloc(0)

const outOfRange = (value: number | bigint, type: string): RangeError =>
  new RangeError(`${value} does not fit a column of type ${type}`)
