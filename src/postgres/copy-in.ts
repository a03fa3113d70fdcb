// Binary COPY into one or more tables in one round trip: the rows are sent without waiting for the server's
// CopyInResponse, so that a block at the tip costs one round trip instead of two for each table.

import type pg from "pg"
import { copyHeader, copyTrailer } from "./copy-buffer.js"
import { quoteIdentifier, quoteTable } from "./quote-identifier.js"

export interface CopiedTable {
  readonly table: string
  readonly columns: readonly string[]
  /** Whole rows in the order given; they must not change until the copy is over. */
  readonly buffers: readonly Buffer[]
}

/** The server holds a whole message in memory; messages of this size are as fast as larger ones. */
const messageBytes = 256 * 1024

/** The driver's connection, as far as a custom query uses it. */
interface DriverConnection {
  readonly stream: NodeJS.WritableStream & { cork(): void; uncork(): void }
  query(text: string): void
}

export class CopyIn implements pg.Submittable {
  /** The number of rows stored in each table. */
  readonly finished: Promise<readonly number[]>
  /** The driver's own queries have a field of this name too. */
  readonly text: string
  readonly #messages: Iterator<readonly Buffer[]>
  readonly #counts: number[] = []
  #resolve: (counts: readonly number[]) => void = () => undefined
  #reject: (error: unknown) => void = () => undefined
  #over = false

  constructor(tables: readonly CopiedTable[]) {
    this.text = tables.map(copyStatement).join("; ")
    this.#messages = messagesOf(tables)
    this.finished = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  submit(connection: pg.Connection): void {
    const driver = connection as unknown as DriverConnection
    driver.query(this.text)
    this.#send(driver.stream)
  }

  handleCopyInResponse(): void {
    // The rows are already sent.
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#counts.push(Number(/^COPY (\d+)/.exec(text)?.[1] ?? 0))
  }

  handleReadyForQuery(): void {
    this.#over = true
    this.#resolve(this.#counts)
  }

  handleError(error: unknown): void {
    // The server discards what was sent after the error. Anything sent from now on would become part of the next COPY.
    this.#over = true
    this.#reject(error)
  }

  #send(stream: DriverConnection["stream"]): void {
    stream.cork()
    let isFree = true
    while (isFree && !this.#over) {
      const { value, done } = this.#messages.next()
      if (done) break
      // Whole messages only: after an error, half a message would absorb the statement that follows.
      for (const part of value) isFree = stream.write(part)
    }
    stream.uncork()
    if (!isFree) stream.once("drain", () => this.#send(stream))
  }
}

function copyStatement({ table, columns }: CopiedTable): string {
  const names = columns.map((column) => quoteIdentifier(column)).join(", ")
  return `copy ${quoteTable(table)} (${names}) from stdin (format binary)`
}

const copyDone = Buffer.from([0x63, 0, 0, 0, 4])

function* messagesOf(tables: readonly CopiedTable[]): Generator<readonly Buffer[]> {
  for (const { buffers } of tables) {
    yield copyData(copyHeader)
    for (const rows of buffers) {
      for (let at = 0; at < rows.length; at += messageBytes) yield copyData(rows.subarray(at, at + messageBytes))
    }
    yield copyData(copyTrailer)
    yield [copyDone]
  }
}

function copyData(bytes: Buffer): readonly Buffer[] {
  const head = Buffer.allocUnsafe(5)
  head[0] = 0x64
  head.writeUInt32BE(bytes.length + 4, 1)
  return [head, bytes]
}
