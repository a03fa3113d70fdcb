import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { gunzipSync } from "node:zlib"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { evmFamily } from "../../src/families/evm/evm-family.js"
import { systemClock } from "../../src/platform/clock.js"
import { Database } from "../../src/postgres/database.js"
import { migrationsDirectory, readMigrationFiles } from "../../src/postgres/migration-files.js"
import { answerList } from "../../src/queries/answer-request.js"
import type { ListResource } from "../../src/queries/resource.js"
import { ServedChain } from "../../src/queries/served-chain.js"
import { Workplace } from "../../test/e2e/workplace.js"
import { type RunningChainServer, startChainServer } from "../../test/support/chain-server.js"
import { StoreProbe } from "../../test/support/store-probe.js"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { waitUntil } from "../../test/support/wait-until.js"
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

  const run = (...args: readonly string[]) =>
    workplace.run([...args, "--config", config], {
      env: { DB_RAW_URL: database.url, RPC_URL: node.url, RANGE_SIZE: "10" },
    })
  const tidemark = async (...args: readonly string[]): Promise<string> => {
    const { exit, lines, errors } = run(...args)
    const code = await exit
    const said = lines.map(({ msg }) => msg).join("\n")
    expect(code, `tidemark ${args.join(" ")}: ${said}\n${errors.join("\n")}`).toBe(0)
    return said
  }

  /** As a process that serves would answer at this moment. */
  const covered = async (path: string, values: Record<string, string>) => {
    const pool = new Database({ url: database.url, applicationName: "test", maxConnections: 2 })
    const chain = new ServedChain({ name: "kept", raw: pool, app: pool, clock: systemClock })
    const list = evmFamily.resources.find((one): one is ListResource => one.kind === "list" && one.path === path)!
    const all = { ...{ order: undefined, limit: 5, cursor: undefined }, from: undefined, to: undefined }
    try {
      return (await answerList(chain, list, { ...all, values })).meta.coverage
    } finally {
      await chain.close()
    }
  }
  const workerNames = "select name from app.workers order by name"
  /** Which transactions have written the rows of events: another one, where they were derived again. */
  const writtenRows = `
    select 'ft_transfers' as table, count(*), md5(string_agg(xmin::text, '|' order by block_height, transaction_index,
      event_index)) as written from app.ft_transfers where block_height <= $1
    union all select 'evm_logs', count(*), md5(string_agg(xmin::text, '|' order by block_height, transaction_index,
      event_index)) from app.evm_logs where block_height <= $1`

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

    const known = await probe.rows<{ name: string }>(workerNames)
    const derivedBefore = await probe.rows(writtenRows, [derivedTo])
    const address = `0x${"01".repeat(20)}`
    const needy: [string, Record<string, string>][] = [
      ["/tokens", { sort: "holders" }],
      ["/tokens", { sort: "transfers" }],
      ["/tokens/:contract/holders", { contract: address }],
      ["/accounts/:address/nfts", { address }],
      ["/events", { address, topic0: `0x${"01".repeat(32)}` }],
    ]
    const derivedRange = { from: "0", to: String(derivedTo + 1) }
    // What needs no new index is answered up to where it is derived; the rest covers nothing yet, and says so.
    expect(await covered("/tokens/:contract/transfers", { contract: address })).toEqual([derivedRange])
    for (const [path, values] of needy) expect(await covered(path, values), path).toEqual([])

    await tidemark("workers", "resume", ownWorker)
    const begun = run("start", "--end-block", String(keptChain.blocks))
    // Indexes of tables that have rows are built after everything else.
    const unfinished = `select worker_type as what from app.coverage where worker_type in (select name from app.workers)
        and heights <> int8multirange(int8range(0, $1))
      union all select indexrelid::regclass::text from pg_index where not indisvalid
      union all select 'search_worker' where not exists (select from app.workers where name = 'search_worker')`
    const whole = { from: "0", to: String(keptChain.blocks + 1) }
    const upgraded = async (): Promise<boolean> => {
      if ((await probe.rows(unfinished, [keptChain.blocks + 1])).length > 0) return false
      const answers = await Promise.all(needy.map(([path, values]) => covered(path, values)))
      return answers.every((ranges) => isDeepStrictEqual(ranges, [whole]))
    }
    await waitUntil(upgraded, { what: "every worker and every index, and answers over all heights", everyMs: 200 })
    expect(await begun.end("SIGTERM")).toBe(0)
    // New workers have derived everything; not one row of the others was written again.
    expect(known).not.toContainEqual({ name: "search_worker" })
    expect(await probe.rows(writtenRows, [derivedTo])).toEqual(derivedBefore)
    const counted = "select count(*)::int4 as counted from app.ft_holder_counts where holders > 0"
    expect(await probe.rows(counted)).not.toEqual([{ counted: 0 }])
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
