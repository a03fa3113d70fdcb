import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.js"
import { testLedgers } from "../../../test/support/test-ledgers.js"
import { builtInWorkers } from "../../families/evm/indexes/built-in-workers.js"
import { ensurePartitions } from "../../partitions/ensure-partitions.js"
import { Database } from "../../postgres/database.js"
import type { WorkerDefinition } from "../worker-definition.js"
import { WorkerRegistry } from "../worker-registry.js"
import { applyFold } from "./apply-fold.js"
import { ensureWorkerTables } from "./ensure-worker-tables.js"
import { undoFold } from "./undo-fold.js"

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

const registry = new WorkerRegistry(builtInWorkers)
const holdings = registry.folds.get("ft_holdings_worker")![0]!
const ownership = registry.folds.get("nft_ownership_worker")![0]!

/** As before there were counts. */
const withoutCounts = builtInWorkers.map(
  (worker): WorkerDefinition => ({
    ...worker,
    tables: Object.fromEntries(
      Object.entries(worker.tables).map(([name, table]) => [
        name,
        table.kind === "state" ? { ...table, counts: {} } : table,
      ]),
    ) as WorkerDefinition["tables"],
  }),
)

async function ensure(workers: readonly WorkerDefinition[] = builtInWorkers) {
  const outcome = await ensureWorkerTables(
    { executor: database, ledger: testLedgers.app },
    { registry: new WorkerRegistry(workers) },
  )
  await ensurePartitions(database, { tables: registry.partitionedTables(), range: { from: 0, to: 1 } })
  return outcome
}

interface Transfer {
  readonly height: number
  readonly contract: number
  readonly from: number
  readonly to: number
  readonly amount: number
}

const address = (digit: number): string => `\\x${digit.toString(16).padStart(40, "0")}`

/** Each as a fungible token's transfer and as that of one item. */
async function write(transfers: readonly Transfer[]): Promise<void> {
  for (const [at, { height, contract, from, to, amount }] of transfers.entries()) {
    const places = [height, at, address(contract), address(from), address(to)]
    await database.query(
      `insert into app.ft_transfers (block_height, transaction_index, event_index, transaction_id, timestamp,
         contract_address, from_address, to_address, amount, kind)
       values ($1, $2, 0, '\\x01', now(), $3, $4, $5, $6, 'transfer')`,
      [...places, amount],
    )
    await database.query(
      `insert into app.nft_transfers (block_height, transaction_index, event_index, batch_index, transaction_id,
         timestamp, contract_address, standard, from_address, to_address, token_id, amount, kind)
       values ($1, $2, 0, 0, '\\x01', now(), $3, 'erc721', $4, $5, $6, 1, 'transfer')`,
      [...places, amount],
    )
  }
}

const texts = async (sql: string): Promise<string[]> =>
  (await database.query<{ text: string }>(sql)).rows.map(({ text }) => text)

async function expectExact(): Promise<void> {
  expect(
    await texts(
      "select concat(contract_address, ' ', holders) as text from app.ft_holder_counts where holders <> 0 order by 1",
    ),
  ).toEqual(
    await texts(
      `select concat(contract_address, ' ', count(*)) as text from app.ft_holdings
       where balance > 0 group by contract_address order by 1`,
    ),
  )
  expect(
    await texts(
      "select concat(contract_address, ' ', items) as text from app.nft_item_counts where items <> 0 order by 1",
    ),
  ).toEqual(
    await texts(
      `select concat(contract_address, ' ', count(*)) as text from app.nft_ownership
       where owner <> '${address(0)}' group by contract_address order by 1`,
    ),
  )
  expect(
    await texts(
      "select concat(contract_address, ' ', tokens) as text from app.nft_token_counts where tokens <> 0 order by 1",
    ),
  ).toEqual(
    await texts(
      "select concat(contract_address, ' ', count(*)) as text from app.nft_ownership group by contract_address order by 1",
    ),
  )
}

const apply = (from: number, to: number) =>
  database.transaction(async (tx) => {
    for (const plan of [holdings, ownership]) await applyFold(tx, plan, { range: { from, to } })
  })

const undo = (from: number, to: number, coverage: number) =>
  database.transaction(async (tx) => {
    for (const plan of [holdings, ownership])
      await undoFold(tx, plan, { removed: [{ from, to }], coverage: [{ from: 0, to: coverage }] })
  })

const blocks = 6
const transfers = fc.array(
  fc.record({
    height: fc.integer({ min: 0, max: blocks - 1 }),
    contract: fc.integer({ min: 1, max: 2 }),
    from: fc.integer({ min: 0, max: 3 }),
    to: fc.integer({ min: 0, max: 3 }),
    amount: fc.integer({ min: 0, max: 2 }),
  }),
  { maxLength: 12 },
)

describe("counts of holders and items", () => {
  test("equal the rows that count, in any order of heights, after a rollback and after deriving again", async () => {
    await ensure()
    await fc.assert(
      fc.asyncProperty(transfers, fc.integer({ min: 0, max: blocks }), async (given, at) => {
        await database.query("delete from app.ft_transfers")
        await database.query("delete from app.nft_transfers")
        await database.query("delete from app.ft_holdings")
        await database.query("delete from app.nft_ownership")
        await write(given)
        await apply(at, blocks)
        await expectExact()
        await apply(0, at)
        await expectExact()
        await undo(at, blocks, blocks)
        await expectExact()
        await apply(at, blocks)
        await expectExact()
      }),
      { numRuns: 15 },
    )
  }, 60_000)

  test("are taken of a store that exists, without deriving anything again", async () => {
    await ensure(withoutCounts)
    await write([
      { height: 0, contract: 1, from: 0, to: 1, amount: 1 },
      { height: 0, contract: 1, from: 0, to: 2, amount: 2 },
      { height: 0, contract: 2, from: 1, to: 0, amount: 1 },
    ])
    await apply(0, 1)
    expect(await ensure()).toMatchObject({ created: [], idle: [] })
    await expectExact()
    await write([{ height: 1, contract: 1, from: 1, to: 3, amount: 1 }])
    await apply(1, 2)
    await expectExact()
    expect(await texts("select holders::text as text from app.ft_holder_counts")).toEqual(["2"])
  })

  test("start again with a table that was dropped to be derived again", async () => {
    await ensure()
    await write([{ height: 0, contract: 1, from: 0, to: 1, amount: 1 }])
    await apply(0, 1)
    await database.query("drop table app.ft_holdings")
    await database.query("delete from app.workers where name = 'ft_holdings_worker'")
    await ensure()
    expect(await texts("select holders::text as text from app.ft_holder_counts")).toEqual([])
    await apply(0, 1)
    await expectExact()
  })

  test("are sorted by an index", async () => {
    await ensure()
    await database.query("set enable_seqscan = off")
    const { rows } = await database.query<Record<string, string>>(
      "explain select 1 from app.ft_holder_counts order by holders desc, contract_address desc limit 25",
    )
    expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toContain("Index Only Scan Backward")
  })
})
