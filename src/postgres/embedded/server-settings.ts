// The server's settings: an indexer on a laptop or in a CI machine. Durable as a real server: nothing is traded for speed.

import { totalmem } from "node:os"

const megabyte = 1024 ** 2
const gigabyte = 1024 ** 3

/** Content of tidemark.conf, written anew at each start. */
export function settingsFile(memoryBytes: number = usableMemory()): string {
  const settings: Record<string, string> = {
    shared_buffers: `${sharedBuffersMb(memoryBytes)}MB`,
    maintenance_work_mem: "128MB",
    max_connections: "200",
    max_wal_size: "2GB",
    min_wal_size: "256MB",
    // A new file of the log is not written full of zeros first: on two busy cores that took 80 ms each, and every commit waited.
    wal_init_zero: "off",
    checkpoint_timeout: "15min",
    synchronous_commit: "on",
    fsync: "on",
    autovacuum: "on",
    // To shorten a table it locks out everyone, for 20 to 45 ms, and the small tables that each block writes are shortened again and again.
    vacuum_truncate: "off",
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
 * A sixteenth of the memory, within bounds. What does not fit is read from the system's cache: with 256 MB and 600,000 transactions stored, that
 * was a fifth of the time of a rollback.
 */
function sharedBuffersMb(memoryBytes: number): number {
  if (memoryBytes < 2 * gigabyte) return 64
  return Math.min(1024, Math.max(256, Math.floor(memoryBytes / 16 / megabyte)))
}

/** A container's limit counts, where there is one. */
function usableMemory(): number {
  const limit = process.constrainedMemory?.() ?? 0
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}
