// The server's settings, for an indexer on a laptop or a CI machine. Durability is never traded for speed.

import { readFile, statfs } from "node:fs/promises"
import { totalmem } from "node:os"
import { join } from "node:path"

const megabyte = 1024 ** 2

export interface ServerMachine {
  readonly memoryBytes: number
  /** On the disk of the data directory. */
  readonly freeDiskBytes: number
  /** The server's major version: some settings need a newer one. */
  readonly version: number
}

/** A container's memory limit counts, where there is one. */
export async function readMachine(dataPath: string): Promise<ServerMachine> {
  const { bavail, bsize } = await statfs(dataPath)
  const limit = process.constrainedMemory?.() ?? 0
  return {
    memoryBytes: limit > 0 ? Math.min(limit, totalmem()) : totalmem(),
    freeDiskBytes: bavail * bsize,
    version: Number.parseInt(await readFile(join(dataPath, "PG_VERSION"), "utf8"), 10),
  }
}

/** The content of tidemark.conf, rewritten at each start. */
export function settingsFile({ memoryBytes, freeDiskBytes, version }: ServerMachine): string {
  const settings: Record<string, string> = {
    shared_buffers: `${sharedMegabytes(memoryBytes)}MB`,
    maintenance_work_mem: "128MB",
    max_connections: "200",
    max_wal_size: `${logMegabytes(freeDiskBytes)}MB`,
    min_wal_size: "256MB",
    // Zero-filling a new WAL file took 80 ms on two busy cores, and every commit waited for it.
    wal_init_zero: "off",
    checkpoint_timeout: "15min",
    synchronous_commit: "on",
    fsync: "on",
    autovacuum: "on",
    // Truncating a table locks it exclusively for 20 to 45 ms, and vacuum often truncates the small tables of the tip.
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
 * An eighth of the memory. Every block touches random pages of the indexes that begin with an address. When these do
 * not fit, each touch is a read and a write through the kernel: 220 per block after 20,000 blocks with 256 MB.
 */
const sharedMegabytes = (memoryBytes: number): number =>
  Math.min(2_048, Math.max(64, Math.floor(memoryBytes / 8 / megabyte)))

/**
 * A tenth of the free disk. When it is half full, the server checkpoints all changed pages and then logs each of them
 * whole once more: with 2 GB, all address indexes every 1,000 blocks, two thirds of the WAL.
 */
const logMegabytes = (freeDiskBytes: number): number =>
  Math.min(8_192, Math.max(2_048, Math.floor(freeDiskBytes / 10 / megabyte)))
