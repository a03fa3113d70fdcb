// A Postgres of the benchmark's own, with the very settings the product gives its embedded one (fsync and
// synchronous_commit are on), and fresh databases with the product's tables and partitions.

import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rawIngester } from "../../src/coordination/raw-ingester.js"
import { evmRawTables } from "../../src/families/evm/raw/raw-tables.js"
import { ensurePartitions } from "../../src/partitions/ensure-partitions.js"
import { systemClock } from "../../src/platform/clock.js"
import { silentLogger } from "../../src/platform/logger.js"
import { systemRandom } from "../../src/platform/random.js"
import { Connection } from "../../src/postgres/connection.js"
import { readPostmasterFile } from "../../src/postgres/embedded/postmaster-file.js"
import { startEmbedded } from "../../src/postgres/embedded/start-embedded.js"
import { migrate } from "../../src/postgres/migrate.js"
import { quoteIdentifier } from "../../src/postgres/quote-identifier.js"
import { onStop } from "./stop-all.js"

export interface BenchPostgres {
  readonly pid: number
  readonly version: string
  /** The URL of a new database with empty tables; the one of this name before is dropped and the server brought to rest. */
  freshDatabase(name?: string, options?: { template?: string }): Promise<string>
}

const templateName = "bench_template"

export async function startBenchPostgres(): Promise<BenchPostgres> {
  const directory = await mkdtemp(join(tmpdir(), "tidemark-bench-pg-"))
  // Root's server runs as another user, who has to get in.
  await chmod(directory, 0o755)
  onStop(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
  const server = await startEmbedded({
    dataDir: directory,
    logger: silentLogger,
    clock: systemClock,
    random: systemRandom,
    systemDir: join(tmpdir(), "tidemark-bench-system"),
  })
  onStop(() => server.stop("immediate"))
  const admin = await Connection.open({ url: server.url("postgres"), applicationName: "tidemark bench" })
  onStop(async () => admin.destroy())
  await makeTemplate(server)
  const pid = (await readPostmasterFile(join(directory, "postgres")))!.pid
  const { rows } = await admin.query<{ version: string }>("select current_setting('server_version') as version")
  return {
    pid,
    version: rows[0]!.version,
    freshDatabase: async (name = "bench", { template = templateName } = {}) => {
      await admin.query(`drop database if exists ${quoteIdentifier(name)} with (force)`)
      await admin.query(`create database ${quoteIdentifier(name)} template ${quoteIdentifier(template)}`)
      // So that no run pays for writing out what the one before left in memory.
      await admin.query("checkpoint")
      return server.url(name)
    },
  }
}

async function makeTemplate(server: Awaited<ReturnType<typeof startEmbedded>>): Promise<void> {
  await server.ensureDatabase(templateName)
  const url = server.url(templateName)
  await migrate({ database: url, schema: "raw" })
  await migrate({ database: url, schema: "app" })
  const connection = await Connection.open({ url, applicationName: "tidemark bench" })
  await ensurePartitions(connection, { tables: evmRawTables, range: { from: 0, to: 1 } })
  // As the product registers its worker; the probes know nothing of it.
  await connection.query("insert into raw.coverage (worker_type) values ($1)", [rawIngester])
  await connection.end()
}
