// Plants every kind of damage, one at a time, in an intact store. Verify finds and names it, repair fixes it, and
// ingestion and workers then restore the same rows.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import type { DeriveStore } from "../../test/support/derive-store.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { openWholeStore } from "../../test/support/whole-store.js"
import type { StoreException } from "../families/chain-family.js"
import { builtInWorkers } from "../families/evm/indexes/built-in-workers.js"
import { systemClock } from "../platform/clock.js"
import { systemRandom } from "../platform/random.js"
import { Connection } from "../postgres/connection.js"
import { Database } from "../postgres/database.js"
import type { CheckName, Finding } from "./finding.js"
import { type PlanRepairOptions, planRepair } from "./repair-plan.js"
import { repairStore } from "./repair-store.js"
import { selfChecks, verifyStore } from "./verify-store.js"

const range = { from: 10, to: 50 }
const rawTables = ["blocks", "transactions", "events", "tx_lookup", "block_lookup"] as const

let store: DeriveStore
let raw: Database
let rawConnection: Connection
let appConnection: Connection
let whole: string

beforeAll(async () => {
  store = await openWholeStore({ seed: 7, ...range, workers: builtInWorkers, twoDatabases: true })
  raw = new Database({ url: store.rawUrl, applicationName: "test" })
  rawConnection = await Connection.open({ url: store.rawUrl, applicationName: "test" })
  appConnection = await Connection.open({ url: store.appUrl, applicationName: "test" })
  await raw.query("create schema kept")
  for (const table of rawTables) await raw.query(`create table kept.${table} as select * from raw.${table}`)
  whole = await contents()
})

afterAll(async () => {
  await rawConnection.end()
  await appConnection.end()
  await raw.end()
  await store.close()
})

async function contents(): Promise<string> {
  const tables = store.registry.workers.flatMap(({ tables }) => Object.keys(tables))
  const digest = async (database: Database, table: string): Promise<string> => {
    const { rows } = await database.query<{ digest: string }>(
      `select '${table} ' || count(*) || ' ' || coalesce(md5(string_agg(row::text, ',' order by row::text)), '')
         as digest from ${table} as row`,
    )
    return rows[0]!.digest
  }
  const digests: string[] = []
  for (const table of rawTables) digests.push(await digest(raw, `raw.${table}`))
  for (const table of tables) digests.push(await digest(store.app, `app.${table}`))
  for (const [database, schema] of [
    [raw, "raw"],
    [store.app, "app"],
  ] as const) {
    const { rows } = await database.query<{ covered: string }>(
      `select string_agg(worker_type || ' ' || heights::text || skipped::text, ',' order by worker_type) as covered
       from ${schema}.coverage`,
    )
    digests.push(`${schema} ${rows[0]!.covered}`)
  }
  return digests.join("\n")
}

async function verify(
  checks: readonly CheckName[] = selfChecks,
  { keys = 20, heights = 15, exceptions = [] as readonly StoreException[] } = {},
): Promise<Finding[]> {
  const findings: Finding[] = []
  const deps = {
    raw: rawConnection,
    app: appConnection,
    ledgers: store.ledgers,
    registry: store.registry,
    family: store.family,
    exceptions,
    clock: { ...systemClock, sleep: async () => undefined },
  }
  // Small, so that pieces end at many places.
  const pieces = { heights, lookups: 7, keys }
  const { signal } = new AbortController()
  for await (const finding of verifyStore(deps, { checks, pieces, signal })) findings.push(finding)
  return findings
}

const repair = (findings: readonly Finding[], options: PlanRepairOptions = {}): Promise<void> =>
  repairStore({ ...store, raw, random: systemRandom }, { plan: planRepair(findings, options), actor: "test" })

/** Fills a gap as ingestion does: plain inserts, which fail on rows that are still there. */
async function refill(): Promise<void> {
  const {
    rows: [gap],
  } = await raw.query<{ heights: string }>(
    "select (int8multirange(int8range($1::int8, $2::int8)) - heights)::text as heights from raw.coverage",
    [range.from, range.to],
  )
  for (const table of rawTables) {
    const column = table === "blocks" || table === "block_lookup" ? "height" : "block_height"
    await raw.query(`insert into raw.${table} select * from kept.${table} where ${column} <@ $1::int8multirange`, [
      gap!.heights,
    ])
  }
  await raw.query("update raw.coverage set heights = heights + $1::int8multirange", [gap!.heights])
  await testLedgers.app.copyRawCoverage({ raw, app: store.app })
  await store.deriveAll()
}

interface Damage {
  readonly title: string
  readonly on: "raw" | "app"
  readonly sql: string
  /** One of the findings. */
  readonly found: { readonly check: CheckName; readonly table: string; readonly message: RegExp }
}

/** The height of a block with several logs. */
const busy =
  "(select block_height from kept.events group by block_height having count(*) > 3 order by block_height limit 1)"
const someTransaction = `(block_height, transaction_index) = (
  select block_height, transaction_index from kept.transactions where block_height > ${busy} order by 1, 2 limit 1)`
const someLookup = "(id, block_height) = (select id, block_height from kept.tx_lookup order by id limit 1)"
const someTransfer = `(block_height, transaction_index, event_index) = (
  select block_height, transaction_index, event_index from app.ft_transfers
  where amount between 1 and 999 order by 1, 2, 3 offset 5 limit 1)`
const someHolding =
  "(address, contract_address) = (select address, contract_address from app.ft_holdings order by 1, 2 limit 1)"

const damages: readonly Damage[] = [
  {
    title: "a missing log",
    on: "raw",
    sql: `delete from raw.events where block_height = ${busy} and event_index = 1`,
    found: {
      check: "counts",
      table: "raw.events",
      message: /^block \d+ declares \d+ events, but \d+ are stored$/,
    },
  },
  {
    title: "an extra log",
    on: "raw",
    sql: `insert into raw.events (block_height, transaction_index, event_index, transaction_id)
      select block_height, transaction_index, 99, id from raw.transactions where ${someTransaction}`,
    found: { check: "event-places", table: "raw.events", message: /their event_index is not 0 to/ },
  },
  {
    title: "a deleted transaction",
    on: "raw",
    sql: `delete from raw.transactions where block_height = ${busy} and transaction_index = 0`,
    found: { check: "counts", table: "raw.transactions", message: /transactions, but \d+ are stored$/ },
  },
  {
    title: "a deleted block, a hole under the watermark",
    on: "raw",
    sql: "delete from raw.blocks where height = 20",
    found: { check: "raw-rows", table: "raw.blocks", message: /^block 20 is covered, but has no row$/ },
  },
  {
    title: "a block that is gone with all its rows",
    on: "raw",
    sql: `with gone as (delete from raw.blocks where height = ${busy}),
        also as (delete from raw.transactions where block_height = ${busy})
      delete from raw.events where block_height = ${busy}`,
    found: { check: "raw-rows", table: "raw.blocks", message: /is covered, but has no row$/ },
  },
  {
    title: "a wrong transaction count",
    on: "raw",
    sql: "update raw.blocks set transaction_count = transaction_count + 1 where height = 21",
    found: { check: "counts", table: "raw.transactions", message: /^block 21 declares/ },
  },
  {
    title: "a wrong event count of a transaction",
    on: "raw",
    sql: `update raw.transactions set event_count = event_count + 1 where ${someTransaction}`,
    found: { check: "counts", table: "raw.events", message: /^transaction \d+ of block \d+ declares/ },
  },
  {
    // Where two pieces meet.
    title: "a broken parent link",
    on: "raw",
    sql: "update raw.blocks set parent_hash = '\\xbad0' where height = 25",
    found: {
      check: "parent-links",
      table: "raw.blocks",
      message: /^block 25 names 0xbad0 as its parent, but block 24 is 0x/,
    },
  },
  {
    title: "a changed block hash",
    on: "raw",
    sql: "update raw.blocks set hash = '\\xbad1' where height = 31",
    found: {
      check: "parent-links",
      table: "raw.blocks",
      message: /^block 32 names .* but block 31 is 0xbad1$/,
    },
  },
  {
    title: "an event of another transaction",
    on: "raw",
    sql: `update raw.events set transaction_id = '\\xbad2' where block_height = ${busy} and event_index = 0`,
    found: {
      check: "event-places",
      table: "raw.events",
      message: /^event 0 of block \d+ names transaction 0xbad2/,
    },
  },
  {
    title: "a gap in the transaction indexes",
    on: "raw",
    sql: `update raw.transactions set transaction_index = 50 where ${someTransaction}`,
    found: {
      check: "event-places",
      table: "raw.transactions",
      message: /their transaction_index is not 0 to/,
    },
  },
  {
    title: "a raw row that is not covered",
    on: "raw",
    sql: `insert into raw.blocks
      select * from (select 4900000::int8, '\\xbad3'::bytea, '\\x00'::bytea, now(), 0, 0) as extra`,
    found: {
      check: "raw-rows",
      table: "raw.blocks",
      message: /^1 rows of raw.blocks at height 4900000, which raw_ingester does not cover$/,
    },
  },
  {
    title: "a transaction without a lookup",
    on: "raw",
    sql: `delete from raw.tx_lookup where ${someLookup}`,
    found: {
      check: "row-lookups",
      table: "raw.tx_lookup",
      message: /^transaction 0x\w+ of block \d+ has no lookup$/,
    },
  },
  {
    title: "a lookup with the wrong index",
    on: "raw",
    sql: `update raw.tx_lookup set tx_index = 77 where ${someLookup}`,
    found: { check: "row-lookups", table: "raw.tx_lookup", message: /says index 77/ },
  },
  {
    title: "a lookup with the wrong timestamp",
    on: "raw",
    sql: `update raw.tx_lookup set timestamp = '1999-01-01' where ${someLookup}`,
    found: { check: "row-lookups", table: "raw.tx_lookup", message: /1999-01-01/ },
  },
  {
    title: "a lookup that points to a block without the transaction",
    on: "raw",
    sql: `insert into raw.tx_lookup select id, block_height + 1, tx_index, timestamp
      from raw.tx_lookup where ${someLookup}`,
    found: {
      check: "stray-lookups",
      table: "raw.tx_lookup",
      message: /points to height \d+, which does not have it$/,
    },
  },
  {
    title: "a block without a lookup",
    on: "raw",
    sql: "delete from raw.block_lookup where height = 22",
    found: {
      check: "row-lookups",
      table: "raw.block_lookup",
      message: /^block 0x\w+ of block 22 has no lookup$/,
    },
  },
  {
    title: "a block lookup with the wrong height",
    on: "raw",
    sql: "update raw.block_lookup set height = 99 where height = 23",
    found: { check: "row-lookups", table: "raw.block_lookup", message: /says height 99/ },
  },
  {
    title: "the lookup of a block that is not there",
    on: "raw",
    sql: "insert into raw.block_lookup values ('\\xbad4', 24, now())",
    found: { check: "stray-lookups", table: "raw.block_lookup", message: /block 0xbad4 points to height 24/ },
  },
  {
    title: "a missing derived row",
    on: "app",
    sql: `delete from app.ft_transfers where ${someTransfer}`,
    found: {
      check: "derived-rows",
      table: "app.ft_transfers",
      message: /^the row app.ft_transfers \(block_height \d+, .*\) is missing; its worker's output has it$/,
    },
  },
  {
    title: "a changed amount",
    on: "app",
    sql: `update app.ft_transfers set amount = amount + 12345 where ${someTransfer}`,
    found: {
      check: "derived-rows",
      table: "app.ft_transfers",
      message: /has amount 1\d+; its worker's output has amount \d+$/,
    },
  },
  {
    title: "an extra derived row",
    on: "app",
    sql: `insert into app.ft_transfers
      select block_height, transaction_index, 98, transaction_id, timestamp, contract_address, '\\xbad5', to_address,
        amount, kind
      from app.ft_transfers where ${someTransfer}`,
    found: {
      check: "derived-rows",
      table: "app.ft_transfers",
      message: /event_index 98\) should not exist/,
    },
  },
  {
    title: "a derived row that is not covered",
    on: "app",
    sql: `insert into app.ft_transfers
      select 9900000, transaction_index, event_index, transaction_id, timestamp, contract_address, from_address,
        to_address, amount, kind
      from app.ft_transfers where ${someTransfer}`,
    found: {
      check: "stray-rows",
      table: "app.ft_transfers",
      message: /at height 9900000, which token_worker does not cover$/,
    },
  },
  {
    title: "a wrong holding",
    on: "app",
    sql: `update app.ft_holdings set balance = balance + 1 where ${someHolding}`,
    found: {
      check: "folds",
      table: "app.ft_holdings",
      message: /has balance -?\d+; the fold of its events has balance -?\d+$/,
    },
  },
  {
    title: "a missing holding",
    on: "app",
    sql: `delete from app.ft_holdings where ${someHolding}`,
    found: {
      check: "folds",
      table: "app.ft_holdings",
      message: /is missing; the fold of its events has it$/,
    },
  },
  {
    title: "a holding without transfers",
    on: "app",
    sql: `insert into app.ft_holdings (address, contract_address, balance, transfers_in, transfers_out, event_rows)
      values ('\\xbad6', '\\xbad6', 1, 1, 0, 1)`,
    found: { check: "folds", table: "app.ft_holdings", message: /address \\xbad6, .*should not exist/ },
  },
  {
    title: "a wrong last block of an account",
    on: "app",
    sql: `update app.accounts set last_block_height = 11
      where address = (select min(address) from app.accounts where last_block_height > 11)`,
    found: {
      check: "folds",
      table: "app.accounts",
      message: /last_block_height 11; the fold of its events has last_block_height \d+$/,
    },
  },
  {
    title: "a copy of the coverage that is ahead of raw",
    on: "raw",
    sql: `with gone as (delete from raw.blocks where height >= 48),
      lookups as (delete from raw.block_lookup where height >= 48),
      transactions as (delete from raw.transactions where block_height >= 48),
      found as (delete from raw.tx_lookup where block_height >= 48),
      events as (delete from raw.events where block_height >= 48)
      update raw.coverage set heights = heights - '{[48,50)}'`,
    found: {
      check: "coverage",
      table: "app.coverage",
      message: /^raw_ingester covers \[48, 50\) in app, which the raw store does not$/,
    },
  },
  {
    title: "a worker that is ahead of what it depends on",
    on: "app",
    sql: "update app.coverage set heights = heights - '{[40,42)}' where worker_type = 'token_worker'",
    found: {
      check: "coverage",
      table: "app.coverage",
      message: /^ft_holdings_worker covers \[40, 42\) in app, which token_worker does not$/,
    },
  },
]

describe("a whole store", () => {
  test("has nothing wrong with it", async () => {
    expect(await verify()).toEqual([])
  })

  test.for(damages)("with $title is named by verify and mended by repair", async ({ on, sql, found }) => {
    await (on === "raw" ? raw : store.app).query(sql)
    expect(await contents()).not.toBe(whole)
    const findings = await verify()
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: found.check,
        table: found.table,
        message: expect.stringMatching(found.message),
      }),
    )
    await repair(findings)
    await refill()
    // The tests before and after this one show that verify then finds nothing.
    expect(await contents()).toBe(whole)
  })

  test("has nothing wrong with it after all these repairs", async () => {
    expect(await verify()).toEqual([])
  })

  test("whose raw log was changed is mended by fetching the block again", async () => {
    await raw.query(
      `update raw.events set data = decode(repeat('ab', 32), 'hex')
       where (block_height, event_index) = (select block_height, event_index from kept.events
         where topic0 = '\\xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
           and length(data) = 32 order by 1, 2 limit 1)`,
    )
    const findings = await verify()
    expect(findings).toContainEqual(expect.objectContaining({ check: "derived-rows", table: "app.ft_transfers" }))
    await repair(findings, { refetch: true })
    await refill()
    expect(await verify()).toEqual([])
    expect(await contents()).toBe(whole)
  })

  test("has every key of a state table compared, at the ends of pieces too", async () => {
    const { rows } = await store.app.query("update app.ft_holdings set balance = balance + 1 returning 1 as row")
    const findings = await verify(["folds"], { keys: 2 })
    expect(findings.filter(({ table }) => table === "app.ft_holdings")).toHaveLength(rows.length)
    await repair(findings)
    expect(await contents()).toBe(whole)
  })

  test("has folds compared that no index finds by key, however few heights a piece has", async () => {
    await store.app.query("update app.daily_stats set transactions = transactions + 1")
    const query = vi.spyOn(appConnection, "query")
    const findings = await verify(["folds"], { heights: 7 })
    const folded = query.mock.calls.filter(([text]) => String(text).includes("insert into expected_fold"))
    query.mockRestore()
    expect(folded.length).toBeGreaterThanOrEqual(6)
    expect(new Set(findings.map(({ table }) => table))).toEqual(new Set(["app.daily_stats"]))
    await repair(findings)
    expect(await contents()).toBe(whole)
  })

  test("of a chain that numbers events otherwise, or whose blocks need not link, is not damaged by that", async () => {
    const numbers = `update raw.events set event_index = event_index + 1000000 where block_height = ${busy}`
    await raw.query(numbers)
    await raw.query("update raw.blocks set parent_hash = hash where height = 20")
    const [eventNumbers, parentLinks] = (["event-numbers", "parent-links"] as const).map((rule) => ({ rule, why: "" }))
    const checks = ["event-places", "parent-links"] as const
    const found = async (exceptions: readonly StoreException[]) =>
      new Set((await verify(checks, { exceptions })).map(({ check }) => check))
    expect(await found([])).toEqual(new Set(checks))
    expect(await found([eventNumbers!])).toEqual(new Set(["parent-links"]))
    expect(await found([eventNumbers!, parentLinks!])).toEqual(new Set())
    // That an event has its transaction is checked on every chain.
    await raw.query(`update raw.events set transaction_id = '\\x00' where block_height = ${busy}`)
    expect(await found([eventNumbers!, parentLinks!])).toEqual(new Set(["event-places"]))
    await repair(await verify())
    await refill()
    expect(await contents()).toBe(whole)
  })

  test("loses one block only to the repair of a block", async () => {
    const {
      rows: [before],
    } = await raw.query<{ next: string }>("select chain_epoch + 1 as next from raw.chain_state")
    await raw.query("update raw.blocks set transaction_count = 99 where height = 20")
    await repair(await verify())
    const { rows: covered } = await store.app.query<{ heights: string }>(
      "select distinct heights::text as heights from app.coverage",
    )
    expect(covered).toEqual([{ heights: "{[10,20),[21,50)}" }])
    const { rows: removed } = await raw.query<{ removed: string; epoch: string }>(
      "select removed::text as removed, epoch from raw.rollbacks order by created_at desc limit 1",
    )
    expect(removed).toEqual([{ removed: "[20,21)", epoch: before!.next }])
    await refill()
    expect(await contents()).toBe(whole)
  })

  test("does not seem ahead of raw when a block is stored while verify opens its snapshots", async () => {
    await raw.query("update raw.blocks set transaction_count = 99 where height = 20")
    await repair(await verify(["counts"]))
    const query = appConnection.query.bind(appConnection) as Connection["query"]
    const spy = vi.spyOn(appConnection, "query").mockImplementation(async (...asked: unknown[]) => {
      if (String(asked[0]).includes("app.chain_state")) await refill()
      return query(...(asked as Parameters<typeof query>))
    })
    expect(await verify(["coverage"])).toEqual([])
    expect(spy).toHaveBeenCalled()
    spy.mockRestore()
    expect(await contents()).toBe(whole)
  })

  test("is not verified while a rollback is between the two databases", async () => {
    await store.app.query("update app.chain_state set chain_epoch = chain_epoch + 1")
    try {
      await expect(verify(["coverage"])).rejects.toMatchObject({ code: "ROLLBACK_OPEN" })
    } finally {
      await store.app.query("update app.chain_state set chain_epoch = chain_epoch - 1")
    }
  })
})
