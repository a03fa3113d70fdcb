// The model of Postgres against Postgres: the product's own operations, in random order and with the same randomness, have to be answered
// alike by both, and to leave the same behind.

import { afterAll, beforeAll, expect, test } from "vitest"
import type { Lease, LeaseStore, ReleaseCause } from "../../../src/coordination/lease-store.js"
import { PostgresLeaseStore } from "../../../src/coordination/postgres/postgres-lease-store.js"
import { isIndexerError } from "../../../src/platform/errors.js"
import type { Random } from "../../../src/platform/random.js"
import { Connection } from "../../../src/postgres/connection.js"
import type { SqlConnection } from "../../../src/postgres/sql-connection.js"
import { readChainState, recordFinality, recordHead } from "../../../src/raw/chain-state.js"
import { parentIsUnknown } from "../../../src/raw/check-parent.js"
import { checkSeams } from "../../../src/raw/check-seams.js"
import { ensurePartitions } from "../../../src/raw/ensure-partitions.js"
import { evmPartitionedTables, rawIngester } from "../../../src/raw/raw-tables.js"
import { rollbackApp } from "../../../src/rollback/rollback-app.js"
import { openIntent, readIntent } from "../../../src/rollback/rollback-intent.js"
import { rollbackRaw } from "../../../src/rollback/rollback-raw.js"
import { int8 } from "../../../src/workers/column.js"
import { defineWorker, eventTable } from "../../../src/workers/define-worker.js"
import { readRangeState } from "../../../src/workers/postgres/postgres-raw-reader.js"
import { reopenHeights } from "../../../src/workers/postgres/reopen-heights.js"
import { canonicalDefinition } from "../../../src/workers/worker-hash.js"
import { seededRandom } from "../../support/seeded-random.js"
import { createTestDatabase, type TestDatabase } from "../../support/test-database.js"
import { openLaboratory } from "../laboratory.js"
import { Scheduler } from "../scheduler.js"
import { SimRandom } from "../sim-random.js"
import { type CompiledStatement, insertRow } from "./compile-statement.js"
import { type Host, ModelConnection } from "./model-connection.js"
import { ModelDatabase } from "./model-database.js"

type Schema = "raw" | "app"

const sequences = 1_000
const operationsEach = 8
/** So long that the time the real server takes decides nothing; time passes by hours. */
const hourMs = 3_600_000
const policy = { maxAttempts: 2, splitAfterAttempts: 2, backoffBaseMs: hourMs, backoffMaxMs: hourMs }
const ttlMs = hourMs

interface Side {
  readonly sql: SqlConnection
  readonly leases: LeaseStore<SqlConnection>
  readonly random: Random
  /** By the order in which they were claimed. */
  readonly held: Lease[]
  writeBlocks(tx: SqlConnection, range: { from: number; to: number }, branch: number): Promise<void>
  pass(ms: number): Promise<void>
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

/** Sequences run side by side, each in a database of its own: two reapers in one would keep each other out. */
const databases = 6
const created: TestDatabase[] = []
const connections: Connection[] = []
beforeAll(async () => {
  for (let i = 0; i < databases; i++) {
    const database = await createTestDatabase()
    created.push(database)
    const connection = await Connection.open({ url: database.url, applicationName: "test" })
    connections.push(connection)
    await ensurePartitions(connection, { tables: evmPartitionedTables, range: { from: 0, to: 100 } })
    for (const { name, table, definition } of workers) {
      await connection.query(`create table app.${table} (block_height int8)`)
      await connection.query(
        "insert into app.workers (name, version, hash, definition, dependencies, tables) values ($1, 1, '', $2, '{}', '{}')",
        [name, JSON.stringify(definition)],
      )
    }
  }
})
afterAll(async () => {
  for (const connection of connections) await connection.end()
  for (const database of created) await database.drop()
})

/** A block's hash is its height and its branch. */
const hashOf = (height: number, branch: number): Buffer => Buffer.from([height, branch])
const hex = (bytes: Buffer): string => `0x${bytes.toString("hex")}`

async function realSide(connection: Connection, schema: Schema, seed: number): Promise<Side> {
  await connection.query(
    `delete from ${schema}.worker_leases; delete from ${schema}.rollbacks; delete from ${schema}.chain_state; delete from ${schema}.coverage; ${schema === "raw" ? "delete from raw.blocks" : "select 1"}`,
  )
  await connection.query(
    `insert into ${schema}.chain_state (chain_name, chain_id, genesis_hash, start_height) values ('t', 1, '\\x00', 0)`,
  )
  for (const { worker, to } of doneAtFirst(schema, seed)) {
    await connection.query(
      `insert into ${schema}.coverage (worker_type, heights) values ($1, int8multirange(int8range(0, $2)))`,
      [worker, to],
    )
  }
  const random = seededRandom(seed)
  return {
    sql: connection,
    leases: new PostgresLeaseStore<SqlConnection>({ executor: connection, schema, random, policy }),
    random,
    held: [],
    writeBlocks: async (tx, { from, to }, branch) => {
      for (let height = from; height < to; height++) {
        await tx.query(
          `insert into raw.blocks (height, hash, parent_hash, timestamp, transaction_count, event_count) values ($1, $2, $3, now(), 0, 0)`,
          [height, hashOf(height, branch), hashOf(height - 1, branch)],
        )
      }
    },
    pass: (ms) => shiftTime(connection, schema, ms),
  }
}

/** No server's clock can be moved, but what it is compared with can. */
async function shiftTime(sql: SqlConnection, schema: Schema, ms: number): Promise<void> {
  await sql.query(
    `update ${schema}.worker_leases set lease_expires_at = lease_expires_at - $1::int4 * interval '1 ms',
       next_attempt_at = next_attempt_at - $1::int4 * interval '1 ms'`,
    [ms],
  )
}

const laboratory = await openLaboratory()
const host: Host = {
  name: "test",
  coin: () => false,
  request: (effect) =>
    new Promise((resolve, reject) => effect((error, value) => (error ? reject(error) : resolve(value!)))),
}

function modelSide(schema: Schema, seed: number): Side {
  const scheduler = new Scheduler()
  const book = schema === "raw" ? laboratory.rawBook : laboratory.appBook
  const database = new ModelDatabase({ name: schema, scheduler, book })
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
  const random = seededRandom(seed)
  const sql = new ModelConnection(database, host)
  return {
    sql,
    leases: new PostgresLeaseStore<SqlConnection>({ executor: sql, schema, random, policy }),
    random,
    held: [],
    writeBlocks: async (_, { from, to }, branch) => {
      const statement: CompiledStatement = (context) => {
        for (let height = from; height < to; height++) {
          const row = {
            height,
            hash: hashOf(height, branch),
            parent_hash: hashOf(height - 1, branch),
            block: null,
          }
          insertRow(context, { table: database.table("raw.blocks"), row })
        }
        return { rows: [], rowCount: to - from }
      }
      await sql.ask((settle) => database.run(sql, { sql: "copy", params: [], statement }, settle))
    },
    pass: (ms) => shiftTime(sql, schema, ms),
  }
}

type Operation = (side: Side) => Promise<unknown>

/** Drawn once, run on both sides. */
function draw(random: SimRandom, schema: Schema): { name: string; run: Operation } {
  const number = (to: number): number => random.between(0, to)
  const height = number(23)
  const pick = number(5)
  const claim = {
    holder: `p${number(2)}`,
    regions: [{ from: number(8), to: random.between(9, 24) }],
    rangeSize: random.pick([4, 10]),
    maxBlocks: random.between(1, 10),
    order: random.pick(["oldest", "newest"] as const),
    inOrder: random.chance(0.2),
    ttlMs,
  }
  const shape = (leases: readonly Lease[]) =>
    leases.map(({ workerType, range, attempt, chainEpoch, epoch }) => ({
      workerType,
      range,
      attempt,
      chainEpoch,
      epoch,
    }))
  const branch = random.chance(0.85) ? 1 : 2
  const all: { name: string; weight: number; run: Operation }[] = [
    {
      name: "claim",
      weight: 5,
      run: async ({ leases, held }) => {
        const lease = await leases.claim({ ...claim, workerType: rawIngester, dependencies: [] })
        if (lease) held.push(lease)
        return shape(lease ? [lease] : [])
      },
    },
    {
      name: "claim group",
      weight: 4,
      run: async ({ leases, held }) => {
        const members = [
          { workerType: rawIngester, dependencies: [] },
          { workerType: "down", dependencies: [rawIngester], concurrency: 2 },
          { workerType: "below", dependencies: ["down"] },
        ]
        const claimed = await leases.claimGroup({
          ...claim,
          members: schema === "app" ? members : members.slice(0, 1),
        })
        held.push(...claimed)
        return shape(claimed)
      },
    },
    {
      name: "commit",
      weight: 7,
      run: ({ leases, held, writeBlocks }) => {
        const lease = held[pick % Math.max(1, held.length)]
        if (!lease) return Promise.resolve("none")
        const { range } = lease
        return leases.commit(lease, {
          write: (tx) => (schema === "raw" ? writeBlocks(tx, range, branch) : Promise.resolve()),
          check: async (tx) => {
            if (schema !== "raw") return
            const first = { height: range.from, parentHash: hex(hashOf(range.from - 1, branch)) }
            const last = { height: range.to - 1, hash: hex(hashOf(range.to - 1, branch)) }
            await checkSeams(tx, { range, edges: { first, last } })
          },
        })
      },
    },
    {
      name: "release",
      weight: 4,
      run: ({ leases, held }) => {
        const lease = held[pick % Math.max(1, held.length)]
        if (!lease) return Promise.resolve("none")
        const cause = (
          ["failure", "failure", "outage", "rollback", "shutdown", "withdrawn"] satisfies ReleaseCause[]
        )[pick]!
        const at = lease.range.from + (height % (lease.range.to - lease.range.from))
        return leases.release(lease, {
          cause,
          error: { code: "VERIFY_FAILED", message: "bad" },
          ...(height % 2 === 0 ? { height: at } : {}),
        })
      },
    },
    {
      name: "renew",
      weight: 1,
      run: async ({ leases, held }) => (await leases.renew(held)).map(({ epoch }) => epoch).sort(),
    },
    { name: "reap", weight: 2, run: ({ leases }) => leases.reap() },
    { name: "pass time", weight: 2, run: ({ pass }) => pass(2 * hourMs) },
    {
      name: "retry",
      weight: 1,
      run: ({ leases }) => leases.retry({ actor: "t", workerType: rawIngester, height }),
    },
    {
      name: "skip",
      weight: 1,
      run: ({ leases }) => leases.skip({ actor: "t", workerType: rawIngester, height }),
    },
    ...(schema === "raw"
      ? [
          {
            name: "open intent",
            weight: 2,
            run: async ({ sql, random: own }: Side) => {
              const epoch = (await readChainState(sql))!.chainEpoch
              const id = own.uuid()
              return openIntent(sql, { id, from: height, ancestorHash: null, epoch, reason: "t" })
            },
          },
          {
            name: "roll raw back",
            weight: 2,
            run: async ({ sql, random: own }: Side) => {
              const intent = await readIntent(sql)
              if (intent) await rollbackRaw({ raw: sql, random: own }, intent)
              return intent
            },
          },
          {
            name: "record head",
            weight: 2,
            run: ({ sql }: Side) => {
              const head = { height, hash: hex(hashOf(height, 1)), finalizedHeight: null }
              return recordHead(sql, { head, finalizedHeight: Math.max(0, height - 4), holder: "t" })
            },
          },
          { name: "record finality", weight: 1, run: ({ sql }: Side) => recordFinality(sql, height) },
          { name: "read state", weight: 1, run: ({ sql }: Side) => readChainState(sql) },
          {
            name: "read range",
            weight: 1,
            run: async ({ sql }: Side) => [
              await parentIsUnknown(sql, { from: height, to: height + 3 }),
              await readRangeState(sql, { from: height, to: height + 3 }),
            ],
          },
        ]
      : [
          {
            name: "roll app back",
            weight: 2,
            run: ({ sql, random: own }: Side) =>
              rollbackApp(
                { app: sql, random: own },
                { id: own.uuid(), epoch: pick, from: height, to: height + 6 },
              ),
          },
          {
            name: "reopen",
            weight: 3,
            run: ({ sql, random: own }: Side) => {
              const heights = [{ from: height >> 1, to: (height >> 1) + 1 + (pick >> 1) }]
              const worker = pick % 3 === 0 ? "below" : "down"
              return reopenHeights(
                { executor: sql, random: own },
                { worker, heights, actor: "t", action: "t" },
              )
            },
          },
        ]),
  ]
  const chosen = all.flatMap((one) => Array.from({ length: one.weight }, () => one))
  return random.pick(chosen)
}

const answer = async (run: () => Promise<unknown>): Promise<unknown> => {
  try {
    return (await run()) ?? "done"
  } catch (error) {
    if (isIndexerError(error)) return error.data["sqlState"] ?? error.code
    return error instanceof Error ? error.message.replace(/\d+/g, "#") : String(error)
  }
}

async function left({ leases }: Side): Promise<unknown> {
  const { coverage, leases: rows } = await leases.snapshot()
  return {
    coverage: [...coverage].sort((a, b) => (a.workerType < b.workerType ? -1 : 1)),
    // Without the epoch: a reaper takes rows in whatever order the server has them, and which gets which new token is left open.
    leases: rows
      .map(({ id: _, epoch: __, leasedForMs: ___, expiresInMs, nextAttemptInMs, ...row }) => ({
        ...row,
        expires: expiresInMs === null ? null : expiresInMs > 0,
        due: nextAttemptInMs === null ? null : nextAttemptInMs <= 0,
      }))
      .sort((a, b) => a.range.from - b.range.from || (a.workerType < b.workerType ? -1 : 1)),
  }
}

async function compare(connection: Connection, sequence: number): Promise<void> {
  const schema: Schema = sequence % 2 === 0 ? "raw" : "app"
  const random = new SimRandom(sequence * 7_919 + 1)
  const [real, model] = [await realSide(connection, schema, sequence), modelSide(schema, sequence)]
  const told: string[] = []
  for (let i = 0; i < operationsEach; i++) {
    const { name, run } = draw(random, schema)
    const [expected, found] = [await answer(() => run(real)), await answer(() => run(model))]
    told.push(`${name}: ${JSON.stringify(expected)}`)
    expect({ sequence, told, answer: found }).toEqual({ sequence, told, answer: expected })
  }
  expect({ sequence, told, left: await left(model) }).toEqual({ sequence, told, left: await left(real) })
}

test(`${sequences} random sequences of operations are answered alike by Postgres and by the model of it`, async () => {
  let next = 0
  const work = connections.map(async (connection) => {
    while (next < sequences) await compare(connection, next++)
  })
  await Promise.all(work)
}, 600_000)
