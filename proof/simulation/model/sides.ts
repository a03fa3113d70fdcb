// Postgres and the model of it, set up alike, with what the product's operations need of either.

import type { Lease } from "../../../src/coordination/lease-store.js"
import type { Ledgers } from "../../../src/coordination/ledgers.js"
import { PostgresLeaseStore } from "../../../src/coordination/postgres/postgres-lease-store.js"
import { postgresLedgers } from "../../../src/coordination/postgres/postgres-ledgers.js"
import { rawIngester } from "../../../src/coordination/raw-ingester.js"
import type { BlockRange } from "../../../src/domain/block-range.js"
import type { RangeSet } from "../../../src/domain/range-set.js"
import { evmRawTables } from "../../../src/families/evm/raw/raw-tables.js"
import { ensurePartitions } from "../../../src/partitions/ensure-partitions.js"
import type { Random } from "../../../src/platform/random.js"
import { Connection } from "../../../src/postgres/connection.js"
import { printMultirange } from "../../../src/postgres/multirange.js"
import type { SqlConnection } from "../../../src/postgres/sql-connection.js"
import type { Queryable, SqlExecutor } from "../../../src/postgres/transaction.js"
import type { DerivedStore, EmittedRows } from "../../../src/workers/derived-store.js"
import { ensureWorkerTables } from "../../../src/workers/postgres/ensure-worker-tables.js"
import { PostgresDerivedStore } from "../../../src/workers/postgres/postgres-derived-store.js"
import type { TestDatabase } from "../../../test/support/test-database.js"
import { testLedgers } from "../../../test/support/test-ledgers.js"
import type { Laboratory } from "../laboratory.js"
import { Scheduler } from "../scheduler.js"
import { simRegistry, simWorkerNames, storedDefinitions } from "../sim-workers.js"
import { type CompiledStatement, insertRow } from "./compile-statement.js"
import type { Host, ModelConnection } from "./model-connection.js"
import { ModelDatabase } from "./model-database.js"

export type Schema = "raw" | "app"

/** What a sequence begins with follows from these. */
export interface State {
  readonly schema: Schema
  readonly seed: number
}

type WriteBlocks = (range: BlockRange, branch: number) => Promise<void>

/** What is no statement that both understand: COPY, and what the model has in its place. */
export interface Beside {
  readonly writeBlocks: WriteBlocks
  readonly store: DerivedStore<Queryable>
  readonly readStates: (table: string) => Promise<readonly unknown[]>
}

/** Such a thing as one step of a transaction that may have to stop before it. */
export type Step = <T>(work: () => Promise<T>) => Promise<T>

const atOnce: Step = (work) => work()

export interface Side extends Beside {
  readonly schema: Schema
  readonly sql: SqlExecutor<Queryable>
  readonly leases: PostgresLeaseStore<Queryable>
  readonly ledgers: Ledgers
  readonly random: Random
  /** By the order in which they were claimed. */
  readonly held: Lease[]
}

/** So long that the time the real server takes decides nothing; time passes by hours. */
export const hourMs = 3_600_000
const policy = { maxAttempts: 2, splitAfterAttempts: 2, backoffBaseMs: hourMs, backoffMaxMs: hourMs }

export function sideOf(given: Omit<Side, "leases" | "ledgers">): Side {
  const { sql, schema, random } = given
  return {
    ...given,
    leases: new PostgresLeaseStore<Queryable>({ executor: sql, schema, random, policy }),
    ledgers: postgresLedgers({ random }),
  }
}

/** Enough to be given back, and out of order, as several lanes leave it. */
const begun: Readonly<Record<string, RangeSet>> = {
  [rawIngester]: [{ from: 0, to: 18 }],
  sim_transfers: [
    { from: 0, to: 11 },
    { from: 12, to: 14 },
  ],
  sim_holdings: [
    { from: 0, to: 3 },
    { from: 5, to: 8 },
    { from: 9, to: 10 },
  ],
  sim_totals: [
    { from: 1, to: 3 },
    { from: 6, to: 7 },
  ],
}

/** What is done when a sequence begins: nothing, or in half of app some of everything. */
export const doneAtFirst = ({ schema, seed }: State): { worker: string; heights: RangeSet }[] => {
  const isBegun = schema === "app" && seed % 4 === 1
  return [rawIngester, ...simWorkerNames].map((worker) => ({
    worker,
    heights: isBegun ? begun[worker]! : [],
  }))
}

/** A block's hash is its height and its branch. */
export const hashOf = (height: number, branch: number): Buffer => Buffer.from([height, branch])

export const openConnection = ({ url }: TestDatabase): Promise<Connection> =>
  Connection.open({ url, applicationName: "test" })

/** Once for a database. */
export async function furnish(connection: Connection): Promise<void> {
  await ensurePartitions(connection, { tables: evmRawTables, range: { from: 0, to: 100 } })
  await ensureWorkerTables({ executor: connection, ledger: testLedgers.app }, { registry: simRegistry })
}

export const eventTableNames = ["sim_transfers", "sim_moves"]
export const stateTableNames = ["sim_holdings", "sim_totals"]

/** Before each sequence. */
export async function beginPostgres(connection: Connection, state: State): Promise<void> {
  const { schema } = state
  const tables = ["worker_leases", "rollbacks", "chain_state", "coverage", "audit_log"].concat(
    schema === "raw" ? "blocks" : ["outbox", ...eventTableNames, ...stateTableNames],
  )
  await connection.query(tables.map((table) => `delete from ${schema}.${table}`).join("; "))
  await connection.query(
    `insert into ${schema}.chain_state (chain_name, chain_id, genesis_hash, start_height) values ('t', 1, '\\x00', 0)`,
  )
  const done = doneAtFirst(state)
  await connection.query(
    `insert into ${schema}.coverage (worker_type, heights)
     select * from unnest($1::text[], $2::text[]::int8multirange[])`,
    [done.map(({ worker }) => worker), done.map(({ heights }) => printMultirange(heights))],
  )
}

export function beginModel({ rawBook, appBook }: Laboratory, state: State): ModelDatabase {
  const { schema } = state
  const book = schema === "raw" ? rawBook : appBook
  const database = new ModelDatabase({ name: schema, scheduler: new Scheduler(), book })
  database
    .table(`${schema}.chain_state`)
    .put({ chain_name: "t", chain_id: "1", start_height: 0, chain_epoch: 0, genesis_hash: Buffer.of(0) })
  for (const { worker, heights } of doneAtFirst(state))
    database.table(`${schema}.coverage`).put({ worker_type: worker, heights })
  if (schema === "app")
    for (const { name, definition } of storedDefinitions)
      database.table("app.workers").put({ name, definition, paused: false })
  return database
}

/** A process that is neither slow nor dead. */
export const quickHost: Host = {
  name: "test",
  coin: () => false,
  request: (effect) =>
    new Promise((resolve, reject) => effect((error, value) => (error ? reject(error) : resolve(value!)))),
}

export const besidePostgres = (connection: Connection, step: Step = atOnce): Beside => ({
  writeBlocks: (range, branch) => step(() => copyBlocks(connection, range, branch)),
  store: storeOver(connection, new PostgresDerivedStore(simRegistry), step),
  readStates: async (table) => {
    const { rows } = await connection.query<{ state: unknown }>(
      `select to_jsonb(s) as state from app.${table} as s order by account`,
    )
    return rows.map(({ state }) => state)
  },
})

export const besideModel = (
  connection: ModelConnection,
  { store }: Pick<Laboratory, "store">,
  step: Step = atOnce,
): Beside => ({
  writeBlocks: (range, branch) => step(() => putBlocks(connection, range, branch)),
  store: storeOver(connection, store, step),
  readStates: async (table) => {
    const rows = [...connection.database.table(`app.${table}`).committed()]
    return rows.sort((a, b) => (String(a["key"]) < String(b["key"]) ? -1 : 1)).map(({ state }) => state)
  },
})

/** Whatever the transaction is called, it is the connection's. */
const storeOver = <Sink extends EmittedRows>(
  connection: SqlConnection,
  store: DerivedStore<SqlConnection, Sink>,
  step: Step,
): DerivedStore<Queryable, Sink> => ({
  createSink: (worker) => store.createSink(worker),
  append: (_, sink) => step(() => store.append(connection, sink)),
  readRows: (_, request) => step(() => store.readRows(connection, request)),
  applyFolds: (_, request) => step(() => store.applyFolds(connection, request)),
  // Neither decides anything here, and the model has no statement for them.
  holdsUpTip: () => Promise.resolve(false),
  resolveErrors: () => Promise.resolve(),
})

async function copyBlocks(connection: Connection, { from, to }: BlockRange, branch: number): Promise<void> {
  for (let height = from; height < to; height++) {
    await connection.query(
      `insert into raw.blocks (height, hash, parent_hash, timestamp, transaction_count, event_count) values ($1, $2, $3, now(), 0, 0)`,
      [height, hashOf(height, branch), hashOf(height - 1, branch)],
    )
  }
}

async function putBlocks(connection: ModelConnection, { from, to }: BlockRange, branch: number): Promise<void> {
  const { database } = connection
  for (let height = from; height < to; height++) {
    const row = { height, hash: hashOf(height, branch), parent_hash: hashOf(height - 1, branch), block: null }
    const statement: CompiledStatement = (context) => {
      insertRow(context, { table: database.table("raw.blocks"), row })
      return { rows: [], rowCount: 1 }
    }
    await connection.ask((settle) => database.run(connection, { sql: "copy", params: [], statement }, settle))
  }
}

/** No server's clock can be moved, but what it is compared with can. */
export async function passTime({ sql, schema }: Side, ms: number): Promise<void> {
  await sql.query(
    `update ${schema}.worker_leases set lease_expires_at = lease_expires_at - $1::int4 * interval '1 ms',
       next_attempt_at = next_attempt_at - $1::int4 * interval '1 ms'`,
    [ms],
  )
}
