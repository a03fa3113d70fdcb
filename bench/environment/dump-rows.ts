// The rows of a filled store as files for the bare COPY: one per table and per transaction the product made of them.

import { createWriteStream } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Transform } from "node:stream"
import { pipeline } from "node:stream/promises"
import pg from "pg"
import { to as copyTo } from "pg-copy-streams"
import { copyHeader, copyTrailer } from "../../src/postgres/copy-buffer.js"
import { type CopyTarget, copyTargets } from "../probe/copy-rows.js"
import { onStop } from "./stop-all.js"

export interface DumpedRows {
  readonly directory: string
  readonly transactions: number
  readonly bytes: number
}

export async function dumpRows(databaseUrl: string): Promise<DumpedRows> {
  const directory = await mkdtemp(join(tmpdir(), "tidemark-bench-rows-"))
  onStop(() => rm(directory, { recursive: true, force: true }))
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows: ranges } = await client.query<{ from: string; to: string }>(
      `select from_height as from, to_height as to from raw.worker_leases where status = 'COMPLETED' order by 1`,
    )
    let bytes = 0
    for (const [i, range] of ranges.entries()) {
      for (const target of copyTargets) {
        bytes += await dump(client, { target, range, file: join(directory, `${i}.${target.table}`) })
      }
    }
    return { directory, transactions: ranges.length, bytes }
  } finally {
    await client.end()
  }
}

async function dump(
  client: pg.Client,
  { target, range, file }: { target: CopyTarget; range: { from: string; to: string }; file: string },
): Promise<number> {
  const { table, columns, height, order } = target
  const query = `select ${columns.join(", ")} from ${table} where ${height} >= ${range.from} and ${height} < ${range.to} order by ${order}`
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
