import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { copyBlankCluster } from "../../test/support/private-postgres.js"
import { runCommand } from "../../test/support/run-command.js"
import { evmFamily } from "../families/evm/evm-family.js"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { systemRandom } from "../platform/random.js"
import { Database } from "../postgres/database.js"
import { startEmbedded } from "../postgres/embedded/start-embedded.js"
import { migrate } from "../postgres/migrate.js"

let store: DeriveStore
afterEach(() => store.close())

const open = async (twoDatabases: boolean) => {
  store = await openDeriveStore(livelyBlocks({ seed: 5, from: 0, to: 24 }), {
    ...{ workers: evmFamily.workers, twoDatabases },
  })
  await store.deriveAll()
  if (!twoDatabases) return
  // A test's database is made with both.
  await store.raw.query("drop schema app cascade")
  await store.app.query("drop schema raw cascade")
}

const reset = (argv: readonly string[], ask?: (question: string) => Promise<string>) =>
  runCommand(["reset", ...argv], { env: { DB_RAW_URL: store.rawUrl, DB_APP_URL: store.appUrl }, ask })

/** Every relation outside of the system's schemas, except what indexes and tables bring with them. */
const relations = async (database: Database): Promise<string[]> => {
  const { rows } = await database.query<{ name: string }>(
    `select nspname || '.' || relname as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where nspname !~ '^pg_|information_schema' and relkind in ('r', 'p', 'v', 'm', 'S') order by 1`,
  )
  return rows.map(({ name }) => name)
}

const schemas = async (database: Database): Promise<unknown[]> =>
  (await database.query("select nspname from pg_namespace where nspname in ('raw', 'app') order by 1")).rows

describe.each([[false], [true]])("reset, with two databases: %s", (twoDatabases) => {
  beforeEach(() => open(twoDatabases))

  test("asks for the chain's name, and deletes nothing for another one or without a terminal", async () => {
    const before = await relations(store.app)
    expect(await reset([])).toMatchObject({ code: 2, err: expect.stringContaining("This deletes test: 24 blocks") })
    expect(await reset([], async () => "y")).toMatchObject({ code: 1, err: expect.stringContaining("raw.blocks") })
    expect(await relations(store.app)).toEqual(before)
    expect(await reset([], async () => "test")).toMatchObject({ code: 0 })
    expect(await relations(store.app)).toEqual([])
    expect(await relations(store.raw)).toEqual([])
    expect([...(await schemas(store.app)), ...(await schemas(store.raw))]).toEqual([])
  })

  test("leaves what is not Tidemark's, and the store can be made again", async () => {
    await store.app.query("create table app.labels (address bytea); create table public.blocks (height int8)")
    await store.raw.query("create table raw.mine (n int4)")
    expect(await reset(["--yes"])).toMatchObject({ code: 0, out: expect.stringContaining("Deleted test: 24 blocks") })
    expect([...new Set([...(await relations(store.app)), ...(await relations(store.raw))])].sort()).toEqual([
      ...["app.labels", "public.blocks", "raw.mine"],
    ])
    await migrate({ database: store.raw, schema: "raw" })
    await migrate({ database: store.app, schema: "app" })
    expect(await relations(store.raw)).toContain("raw.blocks")
  })

  test("deletes nothing where a view of the user's depends on it, and names it", async () => {
    await store.app.query(
      "create view public.holders as select height from app.token_metadata, lateral (select 1 as height) as one",
    )
    const before = [await relations(store.app), await relations(store.raw)]
    const { code, err } = await reset(["--yes"])
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining("view holders depends on table app.token_metadata"),
    })
    expect([await relations(store.app), await relations(store.raw)]).toEqual(before)
  })

  test("is refused while a process runs, unless it is forced", async () => {
    await store.raw.query(
      `insert into raw.processes (id, host, pid, roles, version, state)
       values (gen_random_uuid(), 'quay', 77, '{ingest}', '0.1.0', '{}')`,
    )
    expect(await reset(["--yes"])).toMatchObject({ code: 1, err: expect.stringMatching(/STILL_RUNNING.*quay:77/) })
    expect(await relations(store.raw)).toContain("raw.blocks")
    expect(await reset(["--yes", "--force"])).toMatchObject({ code: 0 })
    expect(await relations(store.raw)).toEqual([])
  })
})

test("reset of an embedded store starts its server and stops it again", async () => {
  await open(false)
  const directory = await mkdtemp(join(tmpdir(), "tidemark-test-reset-"))
  await chmod(directory, 0o755)
  const started = { dataDir: directory, clock: systemClock, random: systemRandom, logger: silentLogger }
  try {
    await copyBlankCluster(directory)
    const server = await startEmbedded(started)
    for (const schema of ["raw", "app"] as const) {
      await server.ensureDatabase(`tidemark_demo_${schema}`)
      await migrate({ database: server.url(`tidemark_demo_${schema}`), schema })
    }
    await server.stop()
    const reset = (...argv: string[]) => runCommand(["reset", ...argv], { env: { TIDEMARK_DIR: directory } })
    expect(await reset("--yes")).toMatchObject({ code: 0, out: expect.stringContaining("Deleted demo") })
    const again = await startEmbedded(started)
    const database = new Database({ url: again.url("tidemark_demo_raw"), applicationName: "test" })
    expect(await relations(database)).toEqual([])
    await database.end()
    await again.stop()
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
