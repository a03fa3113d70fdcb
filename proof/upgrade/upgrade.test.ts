import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { migrationsDirectory, readMigrationFiles } from "../../src/postgres/migration-files.js"
import { Workplace } from "../../test/e2e/workplace.js"
import { type RunningChainServer, startChainServer } from "../../test/support/chain-server.js"
import { StoreProbe } from "../../test/support/store-probe.js"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { checkDerived } from "../checker/check-derived.js"
import { checkRaw } from "../checker/check-raw.js"
import { derivedTo, digestUsersTables, keptChain, ownConfig, ownWorker, storedTo } from "./kept-store.js"

const directory = join(import.meta.dirname, "stores")
const config = join(import.meta.dirname, "..", "..", ownConfig)
const releases = readdirSync(directory).map((file) => file.replace(".sql.gz", ""))

async function restore({ url }: TestDatabase, release: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(gunzipSync(readFileSync(join(directory, `${release}.sql.gz`))).toString())
  } finally {
    await client.end()
  }
}

describe.each(releases)("a store that release %s filled", (release) => {
  let database: TestDatabase
  let node: RunningChainServer
  let workplace: Workplace
  let probe: StoreProbe

  beforeAll(async () => {
    node = await startChainServer(keptChain)
    workplace = await Workplace.make()
    database = await createTestDatabase({ empty: true })
    await restore(database, release)
    probe = new StoreProbe(database.url)
  })

  afterAll(async () => {
    await probe.close()
    await workplace.remove()
    await database.drop()
    await node.stop()
  })

  const tidemark = async (...args: readonly string[]): Promise<string> => {
    const env = { DB_RAW_URL: database.url, RPC_URL: node.url, RANGE_SIZE: "10" }
    const run = workplace.run([...args, "--config", config], { env })
    const code = await run.exit
    const said = run.lines.map(({ msg }) => msg).join("\n")
    expect(code, `tidemark ${args.join(" ")}: ${said}\n${run.errors.join("\n")}`).toBe(0)
    return said
  }

  const remembered = `select
    (select json_agg(row(id, epoch, removed, reason) order by epoch) from raw.rollbacks)::text as rollbacks,
    (select json_agg(row(actor, action, details) order by id) from raw.audit_log)::text as raw_audited,
    (select json_agg(row(actor, action, details) order by id) from app.audit_log)::text as app_audited`

  test("is migrated, continued and verified, with all that it had and the user's own tables", async () => {
    const before = { users: await probe.rows(digestUsersTables), remembered: await probe.rows(remembered) }
    expect(before.users).toHaveLength(4)
    expect(await probe.coverage()).toBe(`{[0,${storedTo + 1})}`)
    const hashes = "select md5(string_agg(hash::text, '|' order by height)) from raw.blocks where height <= $1"
    const [stored] = await probe.rows(hashes, [storedTo])

    await tidemark("migrate")
    for (const schema of ["raw", "app"] as const) {
      const files = await readMigrationFiles(migrationsDirectory(schema))
      const applied = await probe.rows(`select version, name from ${schema}.schema_migrations order by version`)
      expect(applied).toEqual(files.map(({ version, name }) => ({ version, name })))
    }
    expect(await tidemark("migrate")).toContain("up to date")
    expect(await probe.rows(digestUsersTables)).toEqual(before.users)
    expect(await probe.rows(remembered)).toEqual(before.remembered)
    const paused = "select paused from app.workers where name = $1"
    expect(await probe.rows(paused, [ownWorker])).toEqual([{ paused: true }])
    const derived = "select upper(range_merge(heights))::int4 as to from app.coverage where worker_type = $1"
    expect(await probe.rows(derived, [ownWorker])).toEqual([{ to: derivedTo + 1 }])

    await tidemark("workers", "resume", ownWorker)
    await tidemark("start", "--end-block", String(keptChain.blocks), "--exit-when-done")
    expect(await probe.coverage()).toBe(`{[0,${keptChain.blocks + 1})}`)
    expect(await probe.rows(derived, [ownWorker])).toEqual([{ to: keptChain.blocks + 1 }])
    expect(await probe.rows(hashes, [storedTo])).toEqual([stored])
    expect(await probe.rows(digestUsersTables)).toEqual(before.users)

    await tidemark("verify", "--rpc", node.url)
    const urls = { rawUrl: database.url, appUrl: database.url, rpcUrl: node.url }
    expect(await checkRaw(urls)).toMatchObject({ ok: true })
    expect(await checkDerived(urls)).toMatchObject({ ok: true })
  })
})
