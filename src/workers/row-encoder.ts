// Checks and encodes rows of one event table for binary COPY, in column order. The hot path of every extract: nothing is
// allocated per row. A row that does not fit is refused here, with worker, table and column.

import { describeError, IndexerError } from "../platform/errors.js"
import { CopyBuffer } from "../postgres/copy-buffer.js"
import type { ColumnKind } from "./column.js"
import { EncodedField } from "./encoded-field.js"
import type { EventTable } from "./worker-definition.js"

/** A buffer that grew beyond this for one huge block is freed afterwards. */
const keptBytes = 8 << 20

const maxAmount = 2n ** 256n - 1n
const maxAmountDigits = 64

/** Bytes of a value of a fixed-width type, to check copied fields. */
const widths: Partial<Record<ColumnKind, number>> = {
  bool: 1,
  int2: 2,
  int4: 4,
  int8: 8,
  timestamp: 8,
  date: 4,
}

export interface RowEncoderOptions {
  readonly worker: string
  readonly table: string
  readonly definition: EventTable
}

export class RowEncoder {
  /** In COPY order. */
  readonly columns: readonly string[]
  readonly #options: RowEncoderOptions
  readonly #kinds: readonly ColumnKind[]
  readonly #widths: readonly (number | undefined)[]
  readonly #nullable: readonly boolean[]
  readonly #buffer = new CopyBuffer(1 << 14)
  /** The column at hand, for the message when it is refused. */
  #at = 0
  #height = -1
  #failed: IndexerError | undefined

  constructor(options: RowEncoderOptions) {
    const columns = Object.entries(options.definition.columns)
    this.#options = options
    this.columns = columns.map(([name]) => name)
    this.#kinds = columns.map(([, { kind }]) => kind)
    this.#widths = columns.map(([, { kind }]) => widths[kind])
    this.#nullable = columns.map(([, { nullable }]) => nullable)
  }

  get rows(): number {
    return this.#buffer.rows
  }

  get byteLength(): number {
    return this.#buffer.byteLength
  }

  /** Rows that follow are of this height; others are refused, since a rollback would not find them. */
  startBlock(height: number): void {
    this.#height = height
  }

  /** Throws WORKER_FAILED, and then refuses every row until the reset, since half a row is in the buffer. */
  encode(row: Readonly<Record<string, unknown>>): void {
    if (this.#failed) throw this.#failed
    this.#at = 0
    try {
      this.#encode(row)
    } catch (error) {
      this.#failed = this.#refusal(error, row)
      throw this.#failed
    }
  }

  /** The bytes so far. Throws the refusal of a row even if the extract caught it. */
  view(): Buffer {
    if (this.#failed) throw this.#failed
    return this.#buffer.view()
  }

  reset(): void {
    this.#failed = undefined
    this.#buffer.reset(keptBytes)
  }

  #encode(row: Readonly<Record<string, unknown>>): void {
    const { columns } = this
    const count = columns.length
    const buffer = this.#buffer
    buffer.row(count)
    for (let i = 0; i < count; i++) {
      this.#at = i
      const value = row[columns[i]!]
      if (value === null) {
        if (!this.#nullable[i]) throw new RangeError("is null, and the column is not nullable")
        buffer.null()
      } else if (value instanceof EncodedField) this.#encodeField(i, value)
      else this.#encodeValue(this.#kinds[i]!, value)
    }
    let given = 0
    // Counted without an array of the keys. Every column is present, so a surplus key has no column.
    for (const _name in row) given++
    if (given !== count) this.#refuseUnknown(row)
    // Checked last, when it is known to be a number or a bigint.
    if (Number(row["block_height"]) !== this.#height) {
      this.#at = this.columns.indexOf("block_height")
      throw new RangeError(`is ${String(row["block_height"])} in a row of block ${this.#height}`)
    }
  }

  #encodeField(i: number, field: EncodedField): void {
    if (field.isNull) {
      if (!this.#nullable[i]) throw new RangeError("is null, and the column is not nullable")
    } else if (this.#widths[i] !== undefined && field.byteLength !== 4 + this.#widths[i]!) {
      throw new RangeError(`is a field of ${field.byteLength - 4} bytes, not of ${this.#widths[i]}`)
    }
    this.#buffer.rawField(field.source, field.start, field.end)
  }

  #encodeValue(kind: ColumnKind, value: unknown): void {
    const buffer = this.#buffer
    switch (kind) {
      case "bytes":
        if (typeof value === "string") buffer.bytesHex(value)
        else if (value instanceof Uint8Array) buffer.bytes(value)
        else throw unfit(kind, value)
        break
      case "bool":
        if (typeof value !== "boolean") throw unfit(kind, value)
        buffer.bool(value)
        break
      case "int2":
        if (typeof value !== "number") throw unfit(kind, value)
        buffer.int2(value)
        break
      case "int4":
        if (typeof value !== "number") throw unfit(kind, value)
        buffer.int4(value)
        break
      case "int8":
        if (typeof value === "number") buffer.int8(value)
        else if (typeof value === "bigint") buffer.int8Big(value)
        else throw unfit(kind, value)
        break
      case "amount":
        if (!isAmount(value)) throw notAnAmount(value)
        this.#encodeNumeric(kind, value)
        break
      case "numeric":
        this.#encodeNumeric(kind, value)
        break
      case "text":
        if (typeof value !== "string") throw unfit(kind, value)
        if (value.includes("\0")) throw new RangeError("has a NUL in it, which no text column takes")
        buffer.text(value)
        break
      case "timestamp":
        if (typeof value !== "bigint") throw unfit(kind, value)
        buffer.timestamptzUs(value)
        break
      case "date":
        if (typeof value !== "number") throw unfit(kind, value)
        buffer.date(value)
        break
    }
  }

  #encodeNumeric(kind: ColumnKind, value: unknown): void {
    if (typeof value === "bigint") this.#buffer.numericBig(value)
    else if (typeof value === "string") this.#buffer.numericHex(value)
    else throw unfit(kind, value)
  }

  #refuseUnknown(row: object): never {
    const unknown = Object.keys(row).filter((name) => !this.columns.includes(name))
    this.#at = -1
    throw new RangeError(`no column ${unknown.join(", ")}; there are ${this.columns.join(", ")}`)
  }

  /** The row in readable form; empty if it cannot be read. */
  #shown(row: Readonly<Record<string, unknown>>): { transactionId?: unknown; rawData?: string } {
    try {
      const shown = Object.fromEntries(this.columns.map((name) => [name, readable(row[name])]))
      return { transactionId: shown["transaction_id"], rawData: JSON.stringify(shown) }
    } catch {
      // A getter of the row threw; the refusal matters more than the row.
      return {}
    }
  }

  #refusal(cause: unknown, row: Readonly<Record<string, unknown>>): IndexerError {
    const { worker, table } = this.#options
    const column = this.columns[this.#at]
    const place = `worker ${worker}, table ${table}${column === undefined ? "" : `, column ${column}`}`
    return new IndexerError("WORKER_FAILED", `${place}: ${describeError(cause)}`, {
      cause,
      data: {
        worker,
        table,
        ...(column === undefined ? {} : { column }),
        ...this.#shown(row),
      },
      ...(this.#height < 0 ? {} : { height: this.#height }),
    })
  }
}

/** Copied fields are shown without their length prefix. */
function readable(value: unknown): unknown {
  if (value instanceof EncodedField) return value.isNull ? null : readable(value.bytes.subarray(4))
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString("hex")}`
  return typeof value === "object" || typeof value === "bigint" ? value && String(value) : value
}

const accepted: Record<ColumnKind, string> = {
  bytes: '"0x…" or a Uint8Array',
  bool: "a boolean",
  int2: "a number",
  int4: "a number",
  int8: "a number or a bigint",
  amount: 'a bigint or "0x…"',
  numeric: 'a bigint or "0x…"',
  text: "a string",
  timestamp: "a bigint (microseconds since 1970)",
  date: "a number (days since 1970)",
}

function unfit(kind: ColumnKind, value: unknown): RangeError {
  if (value === undefined) return new RangeError("is missing")
  const given = typeof value === "object" ? (value?.constructor?.name ?? "object") : typeof value
  return new RangeError(`is of type ${given}, not ${accepted[kind]}`)
}

/** True also for other types, which are refused elsewhere. */
function isAmount(value: unknown): boolean {
  if (typeof value === "bigint") return value >= 0n && value <= maxAmount
  if (typeof value !== "string" || value.length <= maxAmountDigits + 2) return true
  // Zeros before it do not count.
  return !/^0x0*[^0].{64}/.test(value)
}

function notAnAmount(value: unknown): RangeError {
  const text = String(value)
  return new RangeError(`${text.length > 100 ? `${text.slice(0, 100)}…` : text} is not in 0 … 2^256 - 1`)
}
