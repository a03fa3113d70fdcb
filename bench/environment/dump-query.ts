// What a query gives, as a file in the binary COPY format without its framing, and how many bytes that are.

import { createWriteStream } from "node:fs"
import { Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import type pg from "pg"
import { to as copyTo } from "pg-copy-streams"
import { copyHeader, copyTrailer } from "../../src/postgres/copy-buffer.js"

export async function dumpQuery(client: pg.Client, { query, file }: { query: string; file: string }): Promise<number> {
  const bare = withoutFraming()
  await pipeline(
    client.query(copyTo(`copy (${query}) to stdout (format binary)`)),
    bare.stream,
    createWriteStream(file),
  )
  return bare.bytes()
}

/** Writers add the framing themselves, so it is taken off: the header first, the trailer as a message of its own last. */
function withoutFraming(): { stream: Transform; bytes: () => number } {
  let skip = copyHeader.length
  let bytes = 0
  let held: Buffer = Buffer.alloc(0)
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const rest = chunk.subarray(Math.min(skip, chunk.length))
      skip -= chunk.length - rest.length
      const all = Buffer.concat([held, rest])
      const keep = Math.max(0, all.length - copyTrailer.length)
      held = all.subarray(keep)
      bytes += keep
      done(null, all.subarray(0, keep))
    },
  })
  return { stream, bytes: () => bytes }
}
