import { randomUUID } from "node:crypto"
import { cp, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { pinChain } from "../coordination/postgres/pin-chain.js"
import { postgresElections } from "../coordination/postgres/postgres-elections.js"
import { evmRawTables } from "../families/evm/raw/raw-tables.js"
import { ensurePartitions } from "../partitions/ensure-partitions.js"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { Database } from "../postgres/database.js"
import { migrate } from "../postgres/migrate.js"
import { migrationsDirectory } from "../postgres/migration-files.js"
import type { Queryable } from "../postgres/transaction.js"
import { announceRollback } from "../rollback/announce-rollback.js"
import { OutboxWriter } from "./outbox-writer.js"

let test_: TestDatabase
let database: Database
beforeEach(async () => {
  test_ = await createTestDatabase()
  database = new Database({ url: test_.url, applicationName: "test", maxConnections: 8 })
  const identity = { chainId: "1", genesisHash: `0x${"00".repeat(32)}` }
  for (const schema of ["raw", "app"] as const)
    await database.transaction((tx) => pinChain(tx, { schema, name: "t", identity, startBlock: 0 }))
  await ensurePartitions(database, { tables: evmRawTables, range: { from: 0, to: 1 } })
})
afterEach(async () => {
  await database.end()
  await test_.drop()
})

const writer = () =>
  new OutboxWriter({
    ...{ raw: database, app: database, elections: postgresElections, ledger: testLedgers.app },
    ...{ clock: systemClock, logger: silentLogger, intervalMs: 1_000, keepHours: 1, keepEntries: 1_000 },
  })

/** Stores [from, to), as raw and all workers cover it from 0 on unless told otherwise. */
async function store(from: number, to: number, derived = to, covered = `{[0,${to})}`): Promise<void> {
  await database.query(
    `insert into raw.blocks (height, hash, parent_hash, timestamp, transaction_count, event_count)
     select height, '\\xaa', '\\x00', now(), 3, 0 from generate_series($1::int8, $2::int8 - 1) as height
     on conflict do nothing`,
    [from, to],
  )
  for (const [worker, heights] of [
    ["raw_ingester", covered],
    ["a_worker", `{[0,${derived})}`],
  ] as const)
    await database.query(
      `insert into app.coverage (worker_type, heights) values ($1, $2::int8multirange)
       on conflict (worker_type) do update set heights = excluded.heights`,
      [worker, heights],
    )
}

/** As a rollback does it, in its transaction. */
async function rollBackApp(tx: Queryable, { from, epoch }: { from: number; epoch: number }): Promise<void> {
  const id = randomUUID()
  await tx.query("update app.chain_state set chain_epoch = $1", [epoch])
  await tx.query("update app.coverage set heights = heights - int8multirange(int8range($1::int8, null))", [from])
  await tx.query("insert into app.rollbacks (id, epoch, removed) values ($1, $2, int8range($3::int8, null))", [
    ...[id, epoch, from],
  ])
  await tx.query("insert into app.outbox (id, kind, epoch, payload) values ($1, 'rollback', $2, $3)", [
    ...[id, epoch, JSON.stringify({ removed_from: String(from) })],
  ])
}

const rollBackRaw = async (from: number, epoch: number): Promise<void> => {
  await database.query("delete from raw.blocks where height >= $1", [from])
  await database.query("update raw.chain_state set chain_epoch = $1", [epoch])
}

const told = async (): Promise<string[]> =>
  (
    await database.query<{ text: string }>(
      `select concat_ws(' ', kind, payload ->> 'height', payload ->> 'removed_from') as text
       from app.outbox order by sequence`,
    )
  ).rows.map(({ text }) => text)

describe("the outbox", () => {
  test("tells the newest block first, then each block, watermark and status once", async () => {
    await store(0, 3, 2)
    await writer().runOnce()
    await writer().runOnce()
    expect(await told()).toEqual(["block 2", "watermark 1", "status"])
    await store(3, 5)
    await writer().runOnce()
    await writer().runOnce()
    expect((await told()).slice(3)).toEqual(["block 3", "block 4", "watermark 4"])
  })

  test("tells blocks that were rolled back again, after the rollback and only when raw has gone back too", async () => {
    await store(0, 5)
    await writer().runOnce()
    await database.transaction((tx) => rollBackApp(tx, { from: 3, epoch: 1 }))
    await writer().runOnce()
    expect(await told()).toEqual(["block 4", "watermark 4", "status", "rollback 3"])
    await rollBackRaw(3, 1)
    await store(3, 4)
    await writer().runOnce()
    expect((await told()).slice(3)).toEqual(["rollback 3", "block 3", "watermark 3"])
  })

  test("its sequence is the order of commits: a rollback under way is waited for", async () => {
    await store(0, 3)
    await writer().runOnce()
    const before = (await told()).length
    await store(3, 4)
    let running: Promise<unknown> | undefined
    await database.transaction(async (tx) => {
      await testLedgers.app.lockChain(tx, "exclusive")
      await rollBackApp(tx, { from: 2, epoch: 1 })
      running = writer().runOnce()
      await expect
        .poll(
          async () =>
            (await database.query("select 1 from pg_locks where locktype = 'advisory' and not granted")).rows.length,
        )
        .toBe(1)
    })
    await running
    await rollBackRaw(2, 1)
    await writer().runOnce()
    expect((await told()).slice(before)).toEqual(["rollback 2", "watermark 1"])
  })

  test("of many writers at once one tells", async () => {
    await store(0, 3)
    await Promise.all(Array.from({ length: 6 }, () => writer().runOnce()))
    await writer().runOnce()
    expect(await told()).toEqual(["block 2", "watermark 2", "status"])
  })

  test("tells no block past a hole that is being filled, and only the newest after a long absence", async () => {
    await store(0, 3)
    await writer().runOnce()
    const before = (await told()).length
    const blocks = async () => (await told()).slice(before).filter((text) => text.startsWith("block"))
    await store(5, 8, 3, "{[0,3),[5,8)}")
    await writer().runOnce()
    expect(await blocks()).toEqual([])
    await store(3, 5, 3, "{[0,8)}")
    await writer().runOnce()
    expect(await blocks()).toEqual([3, 4, 5, 6, 7].map((height) => `block ${height}`))
    await store(100, 103, 3, "{[0,8),[100,103)}")
    await writer().runOnce()
    expect((await blocks()).slice(5)).toEqual([100, 101, 102].map((height) => `block ${height}`))
  })

  test("has numbers without gaps, whatever fails or is written twice", async () => {
    await store(0, 3)
    await writer().runOnce()
    const failed = database.transaction(async (tx) => {
      await rollBackApp(tx, { from: 2, epoch: 1 })
      throw new Error("the rollback fails")
    })
    await expect(failed).rejects.toThrow("the rollback fails")
    const id = randomUUID()
    for (const _ of [1, 2])
      await announceRollback(database, { id, epoch: 1, removed: { from: 2, to: Number.MAX_SAFE_INTEGER } })
    await store(3, 5)
    await writer().runOnce()
    const { rows } = await database.query<Record<string, string>>(
      `select count(*), max(sequence) - min(sequence) + 1 as numbers, min(sequence) = pruned_sequence + 1 as first,
         max(sequence) = last_sequence as last from app.outbox cross join app.outbox_state group by pruned_sequence, last_sequence`,
    )
    expect(rows[0]).toMatchObject({ count: rows[0]!["numbers"], first: true, last: true })
  })

  test("an entry that draws its number waits until the entry before is committed", async () => {
    const announce = (tx: Queryable, epoch: number) =>
      announceRollback(tx, { id: randomUUID(), epoch, removed: { from: 2, to: 3 } })
    let second: Promise<unknown> | undefined
    await database.transaction(async (tx) => {
      await announce(tx, 1)
      second = announce(database, 2)
      await expect
        .poll(async () => (await database.query("select 1 from pg_locks where not granted")).rows.length)
        .toBe(1)
    })
    await second
    const { rows } = await database.query("select epoch::int4 as epoch from app.outbox order by sequence")
    expect(rows).toEqual([{ epoch: 1 }, { epoch: 2 }])
  })

  test.each([
    ["by number", 1_500, "0 hours", 1_000],
    ["by age", 500, "2 hours", 2],
  ])("is pruned %s, and says up to where", async (_, entries, age, left) => {
    await database.query(
      `insert into app.outbox (id, kind, epoch, payload, created_at)
       select gen_random_uuid(), 'status', 0, '{}', now() - $2::interval from generate_series(1, $1)`,
      [entries, age],
    )
    await writer().runOnce()
    const { rows } = await database.query<Record<string, unknown>>(
      `select (select count(*)::int4 from app.outbox) as left, (last_sequence - pruned_sequence)::int4 as unpruned
       from app.outbox_state`,
    )
    expect(rows[0]).toEqual({ left, unpruned: left })
  })

  test("that was written before entries had numbers without gaps stays, outside the count", async () => {
    const old = await mkdtemp(join(tmpdir(), "tidemark-migrations-"))
    const test_ = await createTestDatabase({ empty: true })
    const upgraded = new Database({ url: test_.url, applicationName: "test" })
    try {
      for (const name of await readdir(migrationsDirectory("app")))
        if (name < "0009") await cp(join(migrationsDirectory("app"), name), join(old, name))
      await migrate({ database: upgraded, schema: "app", directory: old })
      const insert = `insert into app.outbox (id, kind, epoch, payload) values (gen_random_uuid(), 'rollback', 1, '{}')`
      await upgraded.query(insert)
      await migrate({ database: upgraded, schema: "app" })
      await upgraded.query(insert)
      const { rows } = await upgraded.query(
        `select sequence > pruned_sequence as counted from app.outbox cross join app.outbox_state order by sequence`,
      )
      expect(rows).toEqual([{ counted: false }, { counted: true }])
    } finally {
      await upgraded.end()
      await test_.drop()
      await rm(old, { recursive: true })
    }
  })
})
