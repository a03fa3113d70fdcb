import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { describeSchema } from "../../../test/support/describe-schema.js"
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.js"
import { testLedgers } from "../../../test/support/test-ledgers.js"
import { ensurePartitions } from "../../partitions/ensure-partitions.js"
import { Connection } from "../../postgres/connection.js"
import { Database } from "../../postgres/database.js"
import { amount, bytes, int4, int8, nullable, numeric, text, timestamp } from "../column.js"
import { eventTable, first, last, max, stateTable, sum } from "../define-worker.js"
import type { WorkerDefinition } from "../worker-definition.js"
import { WorkerRegistry } from "../worker-registry.js"
import { ensureWorkerTables } from "./ensure-worker-tables.js"

let test_: TestDatabase
let database: Database
beforeEach(async () => {
  test_ = await createTestDatabase()
  database = new Database({ url: test_.url, applicationName: "test", maxConnections: 3 })
})
afterEach(async () => {
  await database.end()
  await test_.drop()
})

const tokens: WorkerDefinition = {
  name: "tokens",
  version: 2,
  extract: () => undefined,
  tables: {
    transfers: eventTable({
      columns: {
        block_height: int8,
        transaction_index: int4,
        event_index: int4,
        timestamp,
        contract_address: bytes,
        to_address: nullable(bytes),
        amount,
        kind: text,
      },
      key: ["block_height", "transaction_index", "event_index"],
      partitionBlocks: 1_000,
      indexes: [["contract_address", "block_height", "transaction_index", "event_index"], ["to_address"]],
    }),
  },
}

const holdings: WorkerDefinition = {
  name: "holdings",
  version: 1,
  dependencies: ["tokens"],
  tables: {
    holdings: stateTable({
      key: { contract_address: bytes, kind: text },
      columns: {
        received: sum(numeric),
        transfers: sum(int8),
        opener: first(bytes),
        owner: last(bytes),
        top: max(amount),
      },
      sources: [
        {
          table: "transfers",
          key: { contract_address: "contract_address", kind: "kind" },
          set: {
            received: "amount",
            transfers: { literal: 1 },
            opener: "to_address",
            owner: "to_address",
            top: "amount",
          },
        },
      ],
      track: ["first", "last"],
      indexes: [["received"]],
    }),
  },
}

const alone: WorkerDefinition = {
  name: "alone",
  version: 1,
  extract: () => undefined,
  tables: { notes: eventTable({ columns: { block_height: int8, note: text }, key: ["block_height"] }) },
}

const all = new WorkerRegistry([holdings, tokens, alone])
const ensure = (registry: WorkerRegistry = all) =>
  ensureWorkerTables({ executor: database, ledger: testLedgers.app }, { registry })

/** What describeSchema says of a table and its indexes. */
async function described(table: string): Promise<string[]> {
  const text = await describeSchema(database, "app")
  return text
    .split("\n\n")
    .filter((part) => new RegExp(`^create table app.${table} | app.${table} USING`, "i").test(part))
}

describe("the tables", () => {
  test("are made as declared, with their keys, indexes and the columns of folds", async () => {
    const { created, runnable } = await ensure()
    expect(created).toEqual(["transfers", "holdings", "notes"])
    expect(runnable).toEqual(["tokens", "holdings", "alone"])
    expect((await described("transfers")).join("\n")).toBe(
      `create table app.transfers (
  block_height bigint not null,
  transaction_index integer not null,
  event_index integer not null,
  "timestamp" timestamp with time zone not null,
  contract_address bytea not null,
  to_address bytea,
  amount numeric(78,0) not null,
  kind text not null,
  constraint transfers_pkey PRIMARY KEY (block_height, transaction_index, event_index)
) partition by range (block_height);
CREATE INDEX transfers_contract_address_block_height_transaction_in_ce8a131c ON ONLY app.transfers USING btree (contract_address, block_height, transaction_index, event_index);
CREATE INDEX transfers_contract_address_kind_amount ON ONLY app.transfers USING btree (contract_address, kind, amount);
CREATE INDEX transfers_contract_address_kind_block_height_transacti_ddfe9f48 ON ONLY app.transfers USING btree (contract_address, kind, block_height, transaction_index, event_index);
CREATE INDEX transfers_to_address ON ONLY app.transfers USING btree (to_address);`,
    )
    expect((await described("holdings")).join("\n")).toBe(
      `create table app.holdings (
  contract_address bytea not null,
  kind text not null,
  received numeric not null default 0,
  transfers bigint not null default 0,
  opener bytea,
  owner bytea,
  top numeric(78,0),
  event_rows bigint not null,
  first_block_height bigint,
  first_transaction_index integer,
  first_event_index integer,
  last_block_height bigint,
  last_transaction_index integer,
  last_event_index integer,
  constraint holdings_pkey PRIMARY KEY (contract_address, kind)
);
CREATE INDEX holdings_received ON app.holdings USING btree (received);`,
    )
    expect((await described("notes")).join("\n")).not.toContain("partition")
  })

  test("take partitions, which have the indexes from the start", async () => {
    await ensure()
    const made = await ensurePartitions(database, {
      tables: all.partitionedTables(),
      range: { from: 999, to: 1_001 },
    })
    expect(made).toEqual(["transfers_p0", "transfers_p1000"])
    const { rows } = await database.query("select 1 from pg_index where indrelid = 'app.transfers_p1000'::regclass")
    expect(rows).toHaveLength(5)
  })

  test("are recorded with their workers, which begin with nothing covered", async () => {
    await ensure()
    const { rows: workers } = await database.query(
      "select name, version, hash, definition->'tables'->'notes'->'key' as key, dependencies, tables, paused, concurrency from app.workers order by name",
    )
    expect(workers[0]).toEqual({
      name: "alone",
      version: 1,
      hash: all.hashOf("alone"),
      key: ["block_height"],
      dependencies: [],
      tables: ["notes"],
      paused: false,
      concurrency: null,
    })
    expect(workers[1]).toMatchObject({ name: "holdings", dependencies: ["tokens"] })
    const { rows: tables } = await database.query(
      "select table_name, worker_name, kind from app.worker_tables order by table_name",
    )
    expect(tables.map((row) => Object.values(row))).toEqual([
      ["holdings", "holdings", "state"],
      ["notes", "alone", "events"],
      ["transfers", "tokens", "events"],
    ])
    const { rows: coverage } = await database.query(
      "select worker_type, heights::text as heights from app.coverage order by worker_type",
    )
    expect(coverage.map((row) => Object.values(row))).toEqual(
      ["alone", "holdings", "raw_ingester", "tokens"].map((name) => [name, "{}"]),
    )
  })

  test("ten processes that start at once all get them, created once", async () => {
    const connections = await Promise.all(
      Array.from({ length: 10 }, () => Connection.open({ url: test_.url, applicationName: "starter" })),
    )
    const outcomes = await Promise.all(
      connections.map((connection) =>
        ensureWorkerTables({ executor: connection, ledger: testLedgers.app }, { registry: all }),
      ),
    )
    await Promise.all(connections.map((connection) => connection.end()))
    expect(outcomes.flatMap(({ created }) => created)).toEqual(["transfers", "holdings", "notes"])
    for (const { runnable } of outcomes) expect(runnable).toEqual(["tokens", "holdings", "alone"])
  })

  test("a second start creates nothing and keeps coverage and rows", async () => {
    await ensure()
    await database.query("update app.coverage set heights = '{[0,5)}' where worker_type = 'alone'")
    await database.query("insert into app.notes (block_height, note) values (1, 'x')")
    expect(await ensure()).toMatchObject({ created: [], idle: [] })
    const { rows } = await database.query(
      `select heights::text as heights, (select count(*)::int from app.notes) as notes
       from app.coverage where worker_type = 'alone'`,
    )
    expect(rows).toEqual([{ heights: "{[0,5)}", notes: 1 }])
  })

  test("indexes that a fold needs are created on existing tables; those that are declared later are left to the builder", async () => {
    await ensure(new WorkerRegistry([tokens, alone]))
    const before = await described("transfers")
    const notes = alone.tables["notes"] as ReturnType<typeof eventTable>
    const indexed = { ...alone, tables: { notes: { ...notes, indexes: [["note"]] } } }
    expect(await ensure(new WorkerRegistry([tokens, holdings, indexed]))).toMatchObject({ idle: [] })
    expect((await described("notes")).slice(1)).toEqual([])
    expect((await described("transfers")).filter((index) => !before.includes(index))).toEqual([
      "CREATE INDEX transfers_contract_address_kind_amount ON ONLY app.transfers " +
        "USING btree (contract_address, kind, amount);",
      "CREATE INDEX transfers_contract_address_kind_block_height_transacti_ddfe9f48 ON ONLY app.transfers " +
        "USING btree (contract_address, kind, block_height, transaction_index, event_index);",
    ])
  })

  test("a fold's indexes are not created on the table of a worker that this process does not run", async () => {
    await ensure(new WorkerRegistry([tokens]))
    const before = await described("transfers")
    await ensure(new WorkerRegistry([{ ...tokens, version: 1 }, holdings]))
    expect(await described("transfers")).toEqual(before)
  })
})

describe("a worker is not run, and nothing of it is altered,", () => {
  const schema = () => describeSchema(database, "app")
  const stored = async () => (await database.query("select name, version, hash from app.workers order by name")).rows

  async function unaltered(registry: WorkerRegistry) {
    const before = [await schema(), await stored()]
    const outcome = await ensure(registry)
    expect([await schema(), await stored()]).toEqual(before)
    expect(outcome.created).toEqual([])
    return outcome
  }

  test("when the database has a newer version; nor are its dependents", async () => {
    await ensure()
    const { runnable, idle } = await unaltered(new WorkerRegistry([{ ...tokens, version: 1 }, holdings, alone]))
    expect(runnable).toEqual(["alone"])
    expect(idle).toEqual([
      {
        worker: "tokens",
        message:
          "worker tokens is declared here as version 1, but the database has version 2; " +
          "run the newer code in this process too",
      },
      {
        worker: "holdings",
        message: "worker holdings is not run by this process, as it depends on tokens, which is not",
      },
    ])
  })

  test("when the database has an older version", async () => {
    await ensure()
    const { runnable, idle } = await unaltered(new WorkerRegistry([{ ...alone, version: 3 }]))
    expect(runnable).toEqual([])
    expect(idle[0]!.message).toMatch(/as version 3, .* hold version 1; .*tidemark workers rederive alone$/)
  })

  test("when its tables are declared otherwise under the same version", async () => {
    await ensure()
    const notes = eventTable({ columns: { block_height: int8, note: nullable(text) }, key: ["block_height"] })
    const { runnable, idle } = await unaltered(new WorkerRegistry([{ ...alone, tables: { notes } }]))
    expect(runnable).toEqual([])
    expect(idle[0]!.message).toMatch(/under the same version 1; .*tidemark workers rederive alone$/)
  })

  test("when one of its tables is gone, since a new one would be empty despite its coverage", async () => {
    await ensure()
    await database.query("drop table app.notes")
    const { idle } = await unaltered(all)
    expect(idle).toEqual([
      {
        worker: "alone",
        message: "table app.notes of worker alone is gone; to derive it again: tidemark workers rederive alone",
      },
    ])
  })

  test("when it has coverage but no recorded tables", async () => {
    await database.query("insert into app.coverage (worker_type, heights) values ('alone', '{[0,5)}')")
    const { idle } = await unaltered(new WorkerRegistry([alone]))
    expect(idle[0]!.message).toMatch(/^worker alone has coverage but no tables/)
  })
})

describe("refused, and nothing is created, is", () => {
  test("a table that belongs to a worker which is not declared here", async () => {
    await ensure()
    const thief = new WorkerRegistry([
      { ...tokens, name: "b", tables: { other: tokens.tables["transfers"]! } },
      { ...alone, name: "thief" },
    ])
    await expect(ensure(thief)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: "worker thief, table notes: this database has it as a table of worker alone; allowed: another name",
    })
    expect(await described("other")).toEqual([])
  })

  test("a table that was created by hand", async () => {
    await database.query("create table app.notes (block_height int8)")
    await expect(ensure(new WorkerRegistry([alone]))).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("which no worker made"),
    })
  })
})
