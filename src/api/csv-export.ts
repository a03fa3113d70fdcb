// Lists as CSV files: complete, streamed no faster than the client reads, a few at a time. A file that cannot be finished
// ends without its last chunk, so that the client sees an error and not a short file.

import { PassThrough } from "node:stream"
import type { FastifyReply, FastifyRequest } from "fastify"
import type { Clock } from "../platform/clock.js"
import type { ExportSink } from "../queries/export-list.js"
import { RequestError } from "../queries/request-error.js"
import { csvLine } from "./csv-text.js"

export interface CsvFile {
  readonly name: string
  readonly columns: readonly string[]
  readonly clock: Clock
  readonly run: (sink: ExportSink) => Promise<void>
}

/** Each holds a connection to the database, some of them all the time. */
const mostAtOnce = 4
/** For one page: below what the database lets a transaction idle. */
const clientMs = 20_000

export class CsvExports {
  #running = 0

  async send(reply: FastifyReply, request: FastifyRequest, file: CsvFile): Promise<FastifyReply> {
    if (this.#running >= mostAtOnce)
      throw new RequestError("TOO_MANY_EXPORTS", `${mostAtOnce} files are being written: try again in a moment`)
    this.#running++
    const out = new PassThrough()
    const gone = new AbortController()
    reply.raw.once("close", () => gone.abort())
    const isHead = request.method === "HEAD"
    await new Promise<void>((begun, refused) => {
      const sink: ExportSink = {
        begin: ({ watermark, partial }) => {
          reply.headers({
            "content-type": "text/csv; charset=utf-8; header=present",
            "content-disposition": `attachment; filename="${file.name}.csv"`,
            "cache-control": "no-store",
            "x-tidemark-partial": String(partial),
            ...(watermark === null ? {} : { "x-tidemark-watermark": watermark }),
          })
          out.write(csvLine(file.columns))
          begun()
        },
        write: async (rows) => {
          if (isHead) throw new Error("the headers are all that was asked for")
          const text = rows.map((row) => csvLine(file.columns.map((column) => row[column]))).join("")
          if (text !== "" && !out.write(text)) await drained(out, { clock: file.clock, gone: gone.signal })
        },
      }
      file
        .run(sink)
        .then(
          () => out.end(),
          (error: unknown) => {
            refused(error)
            out.destroy(error instanceof Error ? error : new Error(String(error)))
          },
        )
        .finally(() => this.#running--)
    })
    if (!isHead) return reply.send(out)
    out.on("error", () => undefined)
    return reply.send()
  }
}

async function drained(out: PassThrough, { clock, gone }: { clock: Clock; gone: AbortSignal }): Promise<void> {
  const settled = new AbortController()
  const late = clock.sleep(clientMs, AbortSignal.any([settled.signal, gone]))
  const room = new Promise<void>((resolve) => out.once("drain", resolve))
  await Promise.race([room, late])
  settled.abort()
  if (gone.aborted || out.destroyed || out.writableNeedDrain) throw new Error("the reader has gone, or is too slow")
}
