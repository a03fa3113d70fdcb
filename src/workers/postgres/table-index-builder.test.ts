import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.js"
import { testLedgers } from "../../../test/support/test-ledgers.js"
import { postgresElections } from "../../coordination/postgres/postgres-elections.js"
import { builtInWorkers } from "../../families/evm/indexes/built-in-workers.js"
import { ensurePartitions } from "../../partitions/ensure-partitions.js"
import { systemClock } from "../../platform/clock.js"
import { silentLogger } from "../../platform/logger.js"
import { Connection } from "../../postgres/connection.js"
import { Database } from "../../postgres/database.js"
import { declaredIndexes } from "../index-name.js"
import type { WorkerDefinition } from "../worker-definition.js"
import { WorkerRegistry } from "../worker-registry.js"
import { ensureWorkerTables } from "./ensure-worker-tables.js"
import { TableIndexBuilder } from "./table-index-builder.js"
import { indexedTableHeights, readLackingIndexes } from "./table-indexes.js"

let test_: TestDatabase
let database: Database
beforeEach(async () => {
  test_ = await createTestDatabase()
  database = new Database({ url: test_.url, applicationName: "test", maxConnections: 4 })
})
afterEach(async () => {
  await database.end()
  await test_.drop()
})

const signal = new AbortController().signal
const million = 1_000_000
const indexes = builtInWorkers.flatMap(declaredIndexes)
const bySender = indexes.filter(({ columns }) => columns[0] === "from_address" && columns.length === 3)
const byTransfers = indexes.filter(({ table }) => table === "ft_tokens")

const ensure = (workers: readonly WorkerDefinition[]) =>
  ensureWorkerTables({ executor: database, ledger: testLedgers.app }, { registry: new WorkerRegistry(workers) })

const builder = (over: Partial<ConstructorParameters<typeof TableIndexBuilder>[0]> = {}) =>
  new TableIndexBuilder({
    database,
    connect: () => Connection.open({ url: test_.url, applicationName: "test" }),
    elections: postgresElections,
    indexes,
    clock: systemClock,
    logger: silentLogger,
    intervalMs: 1_000,
    ...over,
  })

async function buildAll(over: Parameters<typeof builder>[0] = {}): Promise<void> {
  while ((await builder(over).runOnce(signal)) !== undefined);
}

/** The workers as they were before these indexes were declared. */
const withoutIndexes = builtInWorkers.map(
  (worker): WorkerDefinition => ({
    ...worker,
    tables: Object.fromEntries(
      Object.entries(worker.tables).map(([name, table]) => [name, { ...table, indexes: [] }]),
    ) as WorkerDefinition["tables"],
  }),
)

const partition = (from: number) =>
  ensurePartitions(database, {
    tables: new WorkerRegistry(builtInWorkers).partitionedTables(),
    range: { from, to: from + 1 },
  })

async function storeOfBefore(): Promise<void> {
  await ensure(withoutIndexes)
  await partition(0)
  await database.query(
    `insert into app.evm_transactions (block_height, transaction_index, event_index, transaction_id, timestamp,
       from_address, to_address, event_count)
     select height, 0, 0, '\\x01', now(), decode(lpad(to_hex(height % 100), 40, '0'), 'hex'), '\\x02', 0
     from generate_series(1, 5000) as height`,
  )
}

const planOf = async (sql: string): Promise<string> =>
  (await database.query<{ "QUERY PLAN": string }>(`explain ${sql}`)).rows.map((row) => row["QUERY PLAN"]).join("\n")

describe("indexes that are declared after their tables were filled", () => {
  test("are not needed to run a worker: nothing is derived again", async () => {
    await storeOfBefore()
    const outcome = await ensure(builtInWorkers)
    expect(outcome).toMatchObject({ created: [], idle: [] })
    expect(outcome.runnable).toHaveLength(builtInWorkers.length)
  })

  test("are built on every partition, and answers that need them cover those heights only then", async () => {
    await storeOfBefore()
    await ensure(builtInWorkers)
    await partition(10 * million)
    expect(await indexedTableHeights(database, bySender)).toEqual([
      { from: 10 * million, to: Number.MAX_SAFE_INTEGER },
    ])
    expect(await indexedTableHeights(database, byTransfers)).toEqual([])
    await buildAll()
    expect(await readLackingIndexes(database, indexes)).toEqual([])
    expect(await indexedTableHeights(database, indexes)).toEqual([{ from: 0, to: Number.MAX_SAFE_INTEGER }])
    await database.query("analyze app.evm_transactions")
    const plan = await planOf(
      `select 1 from app.evm_transactions where from_address = decode(lpad('7', 40, '0'), 'hex')
       order by block_height desc, transaction_index desc limit 25`,
    )
    expect(plan).toContain("Index")
    expect(plan).not.toContain("Seq Scan on evm_transactions_p0")
    const { rows } = await database.query(
      "select relname from pg_index join pg_class on oid = indexrelid where not indisvalid",
    )
    expect(rows).toEqual([])
  })

  test("while they are built, rows are written", async () => {
    await storeOfBefore()
    await ensure(builtInWorkers)
    const writer = await Connection.open({ url: test_.url, applicationName: "writer" })
    await writer.begin()
    await writer.query("update app.evm_transactions set event_count = 1 where block_height = 1")
    const lacking = (await readLackingIndexes(database, bySender)).length
    const built = builder({ indexes: bySender }).runOnce(signal)
    // The build waits for this transaction, and does not keep another from writing.
    await database.query("update app.evm_transactions set event_count = 1 where block_height = 2")
    await writer.commit()
    await writer.end()
    await built
    expect((await readLackingIndexes(database, bySender)).length).toBe(lacking - 1)
  })

  test("an interrupted build is dropped and done again, on a partition and on a table", async () => {
    await storeOfBefore()
    await ensure(builtInWorkers)
    for (const wanted of [bySender, byTransfers]) {
      const [lacking] = await readLackingIndexes(database, wanted)
      const table = lacking!.partition ?? lacking!.index.table
      const writer = await Connection.open({ url: test_.url, applicationName: "writer" })
      await writer.begin()
      await writer.query(`lock table app.${table} in row exclusive mode`)
      const abort = new AbortController()
      let connection: Connection | undefined
      const connect = async () => (connection = await Connection.open({ url: test_.url, applicationName: "cut" }))
      const ours = "from pg_stat_progress_create_index where datname = current_database()"
      const run = builder({ indexes: wanted, connect }).runOnce(abort.signal)
      run.catch(() => undefined)
      await expect.poll(async () => (await database.query(`select 1 ${ours}`)).rows.length).toBe(1)
      await database.query(`select pg_terminate_backend(pid) ${ours}`)
      await expect(run).rejects.toThrow()
      connection!.destroy()
      await writer.rollback()
      await writer.end()
      expect((await readLackingIndexes(database, wanted))[0]!.invalid).toBeDefined()
      await buildAll({ indexes: wanted })
      expect(await readLackingIndexes(database, wanted)).toEqual([])
    }
  })
})
