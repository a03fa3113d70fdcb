import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { createTestDatabase, type TestDatabase } from "../../test/support/test-database.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { PostgresLeaseStore } from "../coordination/postgres/postgres-lease-store.js"
import type { ChainFamily } from "../families/chain-family.js"
import { systemRandom } from "../platform/random.js"
import { Database } from "../postgres/database.js"
import { operateChain } from "../roles/operate-chain.js"
import { int8 } from "../workers/column.js"
import { eventTable } from "../workers/define-worker.js"
import { ensureWorkerTables } from "../workers/postgres/ensure-worker-tables.js"
import { readWorkPlan } from "../workers/work-plan.js"
import type { WorkerDefinition } from "../workers/worker-definition.js"
import { WorkerRegistry } from "../workers/worker-registry.js"
import type { OperatedChain } from "./operated-chain.js"
import { rederiveWorker } from "./rederive-worker.js"
import { steerWorker, type WorkerSteering } from "./steer-worker.js"

const worker = (name: string, dependencies: readonly string[] = []): WorkerDefinition => ({
  name,
  version: 1,
  dependencies,
  extract: () => undefined,
  tables: { [`${name}_rows`]: eventTable({ columns: { block_height: int8 }, key: ["block_height"] }) },
})
const registry = new WorkerRegistry([worker("a"), worker("b", ["a"]), worker("c")])

let made: TestDatabase
let database: Database
beforeAll(async () => {
  made = await createTestDatabase()
  database = new Database({ url: made.url, applicationName: "test", maxConnections: 3 })
  await database.query(
    `insert into app.chain_state (chain_name, chain_id, genesis_hash, start_height) values ('demo', 1, '\\x00', 0)`,
  )
  await database.query(
    `insert into app.coverage (worker_type, heights) values ('raw_ingester', '{[0,100)}')
     on conflict (worker_type) do update set heights = excluded.heights`,
  )
})
afterAll(async () => {
  await database.end()
  await made.drop()
})
beforeEach(async () => {
  await ensureWorkerTables({ executor: database, ledger: testLedgers.app }, { registry })
  await rederive("a")
  await rederive("c")
  await ensureWorkerTables({ executor: database, ledger: testLedgers.app }, { registry })
})

const chain = (over: Partial<ChainFamily> = {}): OperatedChain => {
  const operated = operateChain({ name: "demo", raw: database, app: database, random: systemRandom })
  return { ...operated, family: { ...operated.family, ...over } }
}
const rederive = (name: string, over?: Partial<ChainFamily>) =>
  rederiveWorker(chain(over), { worker: name, actor: "test" })

const steer = (name: string, to: WorkerSteering) => steerWorker(chain(), { worker: name, actor: "ann@harbour", to })
const plan = async () =>
  (await readWorkPlan(database, { registry, runnable: ["a", "b", "c"] }))!.members.map(({ worker, concurrency }) => [
    worker,
    concurrency,
  ])
const leases = () => new PostgresLeaseStore({ executor: database, schema: "app", random: systemRandom })
const claim = () =>
  leases().claimGroup({
    members: [{ worker: "a", dependencies: ["raw_ingester"] }],
    holder: "test",
    regions: [{ from: 0, to: 100 }],
    rangeSize: 10,
    maxBlocks: 10,
    order: "oldest",
    ttlMs: 30_000,
  })

describe("steerWorker", () => {
  test("the next plan of every process follows it", async () => {
    expect(await plan()).toEqual([
      ["a", undefined],
      ["b", undefined],
      ["c", undefined],
    ])
    await steer("a", { action: "pause", reason: null })
    await steer("c", { action: "concurrency", concurrency: 2 })
    expect(await plan()).toEqual([
      ["b", undefined],
      ["c", 2],
    ])
    await steer("a", { action: "resume" })
    await steer("c", { action: "concurrency", concurrency: null })
    expect(await plan()).toHaveLength(3)
    expect(await plan()).toContainEqual(["c", undefined])
  })

  test("a worker that is not there is not made", async () => {
    await expect(steer("nobody", { action: "resume" })).rejects.toMatchObject({ code: "NOT_FOUND" })
    expect(await plan()).toHaveLength(3)
  })
})

describe("rederiveWorker", () => {
  test("a holder that comes to its commit afterwards is refused, and writes nothing", async () => {
    const [lease] = await claim()
    await rederive("a")
    await ensureWorkerTables({ executor: database, ledger: testLedgers.app }, { registry })
    const late = leases().commitGroup([lease!], {
      write: async (tx) => {
        await tx.query("insert into app.a_rows (block_height) values (1)")
      },
    })
    await expect(late).rejects.toMatchObject({ code: "LEASE_LOST" })
    expect((await database.query("select 1 from app.a_rows")).rows).toEqual([])
    // And the range is free again.
    expect(await claim()).toHaveLength(1)
  })

  test("takes its dependents along and nobody else; what rests on them is forgotten in the same transaction", async () => {
    await database.query("update app.coverage set heights = '{[0,50)}' where worker_type in ('a', 'b', 'c')")
    const forgotten: (readonly string[])[] = []
    const done = await rederive("a", {
      forgetQueues: async (_tx, workers) => void forgotten.push(workers),
    })
    expect(done).toEqual({ workers: ["a", "b"], tables: ["a_rows", "b_rows"] })
    expect(forgotten).toEqual([["a", "b"]])
    const { rows } = await database.query("select worker_type, heights::text from app.coverage order by 1")
    expect(rows).toEqual([
      { worker_type: "c", heights: "{[0,50)}" },
      { worker_type: "raw_ingester", heights: "{[0,100)}" },
    ])
    // A process that still runs claims nothing of it.
    expect(await plan()).toEqual([["c", undefined]])
    const again = await ensureWorkerTables({ executor: database, ledger: testLedgers.app }, { registry })
    expect(again).toMatchObject({ created: ["a_rows", "b_rows"], runnable: ["a", "b", "c"] })
  })

  test("a failure in what rests on them leaves everything as it was", async () => {
    const refused = rederive("a", {
      forgetQueues: async () => {
        throw new Error("no")
      },
    })
    await expect(refused).rejects.toThrow("no")
    expect(await plan()).toHaveLength(3)
    expect((await database.query("select 1 from app.a_rows")).rows).toEqual([])
  })

  test("coverage whose tables nobody recorded goes too; a name that is unknown changes nothing", async () => {
    await database.query("insert into app.coverage (worker_type, heights) values ('gone', '{[0,5)}')")
    expect(await rederive("gone")).toEqual({ workers: ["gone"], tables: [] })
    await expect(rederive("gone")).rejects.toMatchObject({ code: "NOT_FOUND" })
  })
})
