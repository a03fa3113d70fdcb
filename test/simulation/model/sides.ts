// Postgres and the model of it, set up alike, with what the product's operations need of either.

import type { Lease, LeaseStore } from "../../../src/coordination/lease-store.js"
import { PostgresLeaseStore } from "../../../src/coordination/postgres/postgres-lease-store.js"
import type { Random } from "../../../src/platform/random.js"
import { Connection } from "../../../src/postgres/connection.js"
import type { SqlExecutor } from "../../../src/postgres/sql-executor.js"
import type { Queryable } from "../../../src/postgres/transaction.js"
import { ensurePartitions } from "../../../src/raw/ensure-partitions.js"
import { evmPartitionedTables, rawIngester } from "../../../src/raw/raw-tables.js"
import { int8 } from "../../../src/workers/column.js"
import { defineWorker, eventTable } from "../../../src/workers/define-worker.js"
import { canonicalDefinition } from "../../../src/workers/worker-hash.js"
import type { TestDatabase } from "../../support/test-database.js"
import type { Laboratory } from "../laboratory.js"
import { Scheduler } from "../scheduler.js"
import { type CompiledStatement, insertRow } from "./compile-statement.js"
import type { Host, ModelConnection } from "./model-connection.js"
import { ModelDatabase } from "./model-database.js"

export type Schema = "raw" | "app"

type WriteBlocks = (range: { from: number; to: number }, branch: number) => Promise<void>

export interface Side {
  readonly schema: Schema
  readonly sql: SqlExecutor<Queryable>
  readonly leases: LeaseStore<Queryable>
  readonly random: Random
  /** By the order in which they were claimed. */
  readonly held: Lease[]
  readonly writeBlocks: WriteBlocks
}

/** So long that the time the real server takes decides nothing; time passes by hours. */
export const hourMs = 3_600_000
const policy = { maxAttempts: 2, splitAfterAttempts: 2, backoffBaseMs: hourMs, backoffMaxMs: hourMs }

export function sideOf(given: Omit<Side, "leases">): Side {
  const { sql, schema, random } = given
  return {
    ...given,
    leases: new PostgresLeaseStore<Queryable>({ executor: sql, schema, random, policy }),
  }
}

/** As app knows them, each with a table that stays empty: whoever takes heights of the first back takes those of the second too. */
const workers = [
  { name: "down", table: "sim_transfers", dependencies: [] },
  { name: "below", table: "sim_moves", dependencies: ["down"] },
].map(({ name, table, dependencies }) => {
  const worker = defineWorker({
    ...{ name, version: 1, dependencies, extract: () => undefined },
    tables: { [table]: eventTable({ columns: { block_height: int8 }, key: ["block_height"] }) },
  })
  return { name, table, definition: JSON.parse(JSON.stringify(canonicalDefinition(worker))) as unknown }
})

/** What is done when a sequence begins: nothing, or in some of app enough to be given back. */
const doneAtFirst = (schema: Schema, seed: number): { worker: string; to: number }[] => {
  const isBegun = schema === "app" && seed % 4 === 1
  return [rawIngester, "down", "below"].map((worker, at) => ({ worker, to: isBegun ? 16 - 6 * at : 0 }))
}

/** A block's hash is its height and its branch. */
export const hashOf = (height: number, branch: number): Buffer => Buffer.from([height, branch])

export const openConnection = ({ url }: TestDatabase): Promise<Connection> =>
  Connection.open({ url, applicationName: "test" })

/** Once for a database. */
export async function furnish(connection: Connection): Promise<void> {
  await ensurePartitions(connection, { tables: evmPartitionedTables, range: { from: 0, to: 100 } })
  for (const { name, table, definition } of workers) {
    await connection.query(`create table app.${table} (block_height int8)`)
    await connection.query(
      "insert into app.workers (name, version, hash, definition, dependencies, tables) values ($1, 1, '', $2, '{}', '{}')",
      [name, JSON.stringify(definition)],
    )
  }
}

/** Before each sequence. */
export async function beginPostgres(
  connection: Connection,
  { schema, seed }: { schema: Schema; seed: number },
): Promise<void> {
  const tables = ["worker_leases", "rollbacks", "chain_state", "coverage", "audit_log"].concat(
    schema === "raw" ? "blocks" : "outbox",
  )
  await connection.query(tables.map((table) => `delete from ${schema}.${table}`).join("; "))
  await connection.query(
    `insert into ${schema}.chain_state (chain_name, chain_id, genesis_hash, start_height) values ('t', 1, '\\x00', 0)`,
  )
  for (const { worker, to } of doneAtFirst(schema, seed)) {
    await connection.query(
      `insert into ${schema}.coverage (worker_type, heights) values ($1, int8multirange(int8range(0, $2)))`,
      [worker, to],
    )
  }
}

export function beginModel(
  { rawBook, appBook }: Laboratory,
  { schema, seed }: { schema: Schema; seed: number },
): ModelDatabase {
  const book = schema === "raw" ? rawBook : appBook
  const database = new ModelDatabase({ name: schema, scheduler: new Scheduler(), book })
  database
    .table(`${schema}.chain_state`)
    .put({ chain_name: "t", chain_id: "1", start_height: 0, chain_epoch: 0, genesis_hash: Buffer.of(0) })
  for (const { worker, to } of doneAtFirst(schema, seed)) {
    const heights = to > 0 ? [{ from: 0, to }] : []
    database.table(`${schema}.coverage`).put({ worker_type: worker, heights })
  }
  if (schema === "app")
    for (const { name, definition } of workers)
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

export const blocksOfPostgres =
  (connection: Connection): WriteBlocks =>
  async ({ from, to }, branch) => {
    for (let height = from; height < to; height++) {
      await connection.query(
        `insert into raw.blocks (height, hash, parent_hash, timestamp, transaction_count, event_count) values ($1, $2, $3, now(), 0, 0)`,
        [height, hashOf(height, branch), hashOf(height - 1, branch)],
      )
    }
  }

export const blocksOfModel =
  (connection: ModelConnection): WriteBlocks =>
  async ({ from, to }, branch) => {
    const { database } = connection
    for (let height = from; height < to; height++) {
      const row = {
        height,
        hash: hashOf(height, branch),
        parent_hash: hashOf(height - 1, branch),
        block: null,
      }
      const statement: CompiledStatement = (context) => {
        insertRow(context, { table: database.table("raw.blocks"), row })
        return { rows: [], rowCount: 1 }
      }
      await connection.ask((settle) =>
        database.run(connection, { sql: "copy", params: [], statement }, settle),
      )
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
