// A store that the product has filled and derived, kept from run to run: a million transactions take minutes. Each
// run works on a copy of it. A later version of the product brings the kept store up to date itself, or it is made again.

import { chmod, mkdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rawIngester } from "../../src/coordination/raw-ingester.js"
import { systemClock } from "../../src/platform/clock.js"
import { silentLogger } from "../../src/platform/logger.js"
import { systemRandom } from "../../src/platform/random.js"
import { Connection } from "../../src/postgres/connection.js"
import { readPostmasterFile } from "../../src/postgres/embedded/postmaster-file.js"
import { type EmbeddedPostgres, startEmbedded } from "../../src/postgres/embedded/start-embedded.js"
import { quoteIdentifier } from "../../src/postgres/quote-identifier.js"
import { measureRun } from "../measure/measure-run.js"
import { onStop } from "./stop-all.js"
import { ingestCommand } from "./tidemark-command.js"

const kept = "kept"
/** So that there are several, and a query that reads more than it needs is seen. */
const partitions = 5
export const partitionEnv = (blocks: number): Readonly<Record<string, string>> => {
  const size = String(Math.max(1_000, Math.floor(blocks / partitions)))
  return { RAW_PARTITION_BLOCKS: size, APP_PARTITION_BLOCKS: size }
}

export interface ApiStore {
  readonly pid: number
  readonly version: string
  /** The URL of a new copy. */
  copy(name: string): Promise<string>
  /** The URL of a new database without tables. */
  empty(name: string): Promise<string>
}

interface ApiStoreOptions {
  /** Heights [0, blocks). */
  readonly blocks: number
  readonly rpcUrl: string
  /** Where it is kept. */
  readonly keep: string
  readonly say: (text: string) => void
  /** Of the server, for looking into it. */
  readonly settings?: Readonly<Record<string, string>>
}

export async function openApiStore({ blocks, rpcUrl, keep, say, settings = {} }: ApiStoreOptions): Promise<ApiStore> {
  const directory = join(keep, `api-store-${blocks}`)
  // Root's server runs as another user, who has to get in.
  await mkdir(directory, { recursive: true })
  await chmod(directory, 0o755)
  const server = await startEmbedded({
    ...{ dataDir: directory, logger: silentLogger, clock: systemClock, random: systemRandom, settings },
    systemDir: join(tmpdir(), "tidemark-bench-system"),
  })
  onStop(() => server.stop("fast"))
  const admin = await Connection.open({
    ...{ url: server.url("postgres"), applicationName: "tidemark bench", longestStatementMs: 600_000 },
    answerTimeoutMs: 600_000,
  })
  onStop(async () => admin.destroy())
  const drop = (name: string) => admin.query(`drop database if exists ${quoteIdentifier(name)} with (force)`)
  const fill = async (): Promise<void> => {
    const [command] = [
      ingestCommand({
        ...{ rpcUrl, databaseUrl: server.url(kept), blocks, threads: 1, roles: "ingest,work" },
        env: partitionEnv(blocks),
      }),
    ]
    await measureRun([command], { postgresPid: await pidOf(directory) })
  }
  await server.ensureDatabase(kept)
  say(`the kept store of ${blocks.toLocaleString("en")} blocks is filled or brought up to date`)
  try {
    await fill()
  } catch (error) {
    say(`it is made again: ${String(error).split("\n").at(-2)?.slice(0, 300)}`)
    await drop(kept)
    await server.ensureDatabase(kept)
    await fill()
  }
  await settle(server, blocks)
  const { rows } = await admin.query<{ version: string }>("select current_setting('server_version') as version")
  return {
    pid: await pidOf(directory),
    version: rows[0]!.version,
    copy: async (name) => {
      await drop(name)
      await admin.query(
        `create database ${quoteIdentifier(name)} template ${quoteIdentifier(kept)} strategy file_copy`,
      )
      onStop(async () => void (await drop(name)))
      await admin.query("checkpoint")
      return server.url(name)
    },
    empty: async (name) => {
      await drop(name)
      await server.ensureDatabase(name)
      onStop(async () => void (await drop(name)))
      return server.url(name)
    },
  }
}

const pidOf = async (directory: string): Promise<number> =>
  (await readPostmasterFile(join(directory, "postgres")))!.pid

async function settle(server: EmbeddedPostgres, blocks: number): Promise<void> {
  const connection = await Connection.open({
    ...{ url: server.url(kept), applicationName: "tidemark bench", answerTimeoutMs: 600_000 },
  })
  const { rows } = await connection.query<{ done: boolean }>(
    `select bool_and(heights = int8multirange(int8range(0, $1::int8))) as done
     from (select heights from app.coverage union all select heights from raw.coverage where worker_type = $2)`,
    [blocks, rawIngester],
  )
  if (!rows[0]!.done) throw new Error(`not every worker derived all of ${blocks} blocks`)
  await connection.query("vacuum analyze")
  await connection.end()
}
