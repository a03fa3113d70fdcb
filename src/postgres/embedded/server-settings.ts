// The server's settings: an indexer on a laptop or in a CI machine. Durable as a real server: nothing is traded for speed.

import { readFile, statfs } from "node:fs/promises"
import { totalmem } from "node:os"
import { join } from "node:path"

const megabyte = 1024 ** 2

export interface ServerMachine {
  readonly memoryBytes: number
  /** Of the disk that the data is on. */
  readonly freeDiskBytes: number
  /** Of the server: not every setting is known to all. */
  readonly version: number
}

/** As it is at this start. A container's limit of memory counts, where there is one. */
export async function lookAtMachine(dataPath: string): Promise<ServerMachine> {
  const { bavail, bsize } = await statfs(dataPath)
  const limit = process.constrainedMemory?.() ?? 0
  return {
    memoryBytes: limit > 0 ? Math.min(limit, totalmem()) : totalmem(),
    freeDiskBytes: bavail * bsize,
    version: Number.parseInt(await readFile(join(dataPath, "PG_VERSION"), "utf8"), 10),
  }
}

/** Content of tidemark.conf, written anew at each start. */
export function settingsFile({ memoryBytes, freeDiskBytes, version }: ServerMachine): string {
  const settings: Record<string, string> = {
    shared_buffers: `${sharedMegabytes(memoryBytes)}MB`,
    maintenance_work_mem: "128MB",
    max_connections: "200",
    max_wal_size: `${logMegabytes(freeDiskBytes)}MB`,
    min_wal_size: "256MB",
    // A new file of the log is not written full of zeros first: on two busy cores that took 80 ms each, and every commit waited.
    wal_init_zero: "off",
    checkpoint_timeout: "15min",
    synchronous_commit: "on",
    fsync: "on",
    autovacuum: "on",
    // To shorten a table it locks out everyone, for 20 to 45 ms, and the small tables that each block writes are shortened again and again.
    ...(version >= 18 ? { vacuum_truncate: "off" } : {}),
    random_page_cost: "1.1",
    jit: "off",
    timezone: "UTC",
    log_timezone: "UTC",
    datestyle: "iso, mdy",
    log_line_prefix: "%m [%p] %q%a ",
    default_text_search_config: "pg_catalog.simple",
    password_encryption: "scram-sha-256",
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`)
  return `# Written at each start; to change a setting, put it into postgresql.conf.\n${lines.join("\n")}\n`
}

/**
 * An eighth of the memory. Indexes that begin with an address are touched all over by every block; once they do not fit, each touch is a
 * read and a write through the kernel, and deriving 20,000 blocks into a store had 220 of them a block with 256 MB.
 */
const sharedMegabytes = (memoryBytes: number): number =>
  Math.min(2_048, Math.max(64, Math.floor(memoryBytes / 8 / megabyte)))

/**
 * A tenth of what is free. Half of it full, the server writes out all pages that were changed, and logs each of them whole the next time: with
 * 2 GB that was all the indexes of addresses every 1,000 blocks, and two thirds of the log.
 */
const logMegabytes = (freeDiskBytes: number): number =>
  Math.min(8_192, Math.max(2_048, Math.floor(freeDiskBytes / 10 / megabyte)))
