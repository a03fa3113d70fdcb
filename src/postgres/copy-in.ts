// Binary COPY into one or several tables, as one message to the server: the rows follow at once, without waiting until it asks for
// them, so that a block of the tip costs one way there and back and not two for each table.

import type pg from "pg"
import { copyHeader, copyTrailer } from "./copy-buffer.js"
import { quoteIdentifier, quoteTable } from "./quote-identifier.js"

export interface CopiedTable {
  readonly table: string
  readonly columns: readonly string[]
  /** Whole rows in the order given; they must not change until the copy is over. */
  readonly buffers: readonly Buffer[]
}

/** The server holds a message in memory as a whole; pieces of this size are as fast as larger ones. */
const messageBytes = 256 * 1024

/** What the driver gives a query of one's own to write to. */
interface DriverConnection {
  readonly stream: NodeJS.WritableStream & { cork(): void; uncork(): void }
  query(text: string): void
}

export class CopyIn implements pg.Submittable {
  /** How many rows each table took. */
  readonly finished: Promise<readonly number[]>
  /** As the driver's own queries name it. */
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
    // The rows are on their way already.
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#counts.push(Number(/^COPY (\d+)/.exec(text)?.[1] ?? 0))
  }

  handleReadyForQuery(): void {
    this.#over = true
    this.#resolve(this.#counts)
  }

  handleError(error: unknown): void {
    // What the server was sent of the rest it passes over. From here on nothing may follow: it would become part of the next COPY.
    this.#over = true
    this.#reject(error)
  }

  #send(stream: DriverConnection["stream"]): void {
    stream.cork()
    let isFree = true
    while (isFree && !this.#over) {
      const { value, done } = this.#messages.next()
      if (done) break
      // Whole messages only: half of one would swallow what is sent after an error.
      for (const part of value) isFree = stream.write(part)
    }
    stream.uncork()
    if (!isFree) stream.once("drain", () => this.#send(stream))
  }
}

const copyStatement = ({ table, columns }: CopiedTable): string =>
  `copy ${quoteTable(table)} (${columns.map((column) => quoteIdentifier(column)).join(", ")}) from stdin (format binary)`

const copyDone = Buffer.from([0x63, 0, 0, 0, 4])

function* messagesOf(tables: readonly CopiedTable[]): Generator<readonly Buffer[]> {
  for (const { buffers } of tables) {
    yield copyData(copyHeader)
    for (const buffer of buffers) {
      const rows = withoutHeader(buffer)
      for (let at = 0; at < rows.length; at += messageBytes)
        yield copyData(rows.subarray(at, at + messageBytes))
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

const withoutHeader = (buffer: Buffer): Buffer =>
  // No row can begin like this: it would have 20,551 columns.
  buffer.subarray(0, copyHeader.length).equals(copyHeader) ? buffer.subarray(copyHeader.length) : buffer
