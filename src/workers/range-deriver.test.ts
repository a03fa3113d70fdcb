import { afterEach, describe, expect, test } from "vitest"
import { checkDerived } from "../../proof/checker/check-derived.js"
import { formatReport } from "../../proof/checker/format-report.js"
import { type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import { seededRandom } from "../../test/support/seeded-random.js"
import { defineWorker } from "../families/evm/define-worker.js"
import { builtInWorkers } from "../families/evm/indexes/built-in-workers.js"
import { listErrors } from "../indexing-errors/list-errors.js"
import { IndexerError } from "../platform/errors.js"
import { bytes, int4, int8, numeric } from "./column.js"
import { eventTable, stateTable, sum } from "./define-worker.js"
import { reopenHeights } from "./postgres/reopen-heights.js"
import { faultsOf } from "./range-deriver.js"

let store: DeriveStore
afterEach(() => store?.close())

const expectRight = async (): Promise<string> => {
  const report = await checkDerived(store)
  if (!report.ok) throw new Error(formatReport(report))
  return JSON.stringify(report.tables)
}

describe("the built-in indexes", () => {
  const blocks = livelyBlocks({ seed: 7, from: 5, to: 65 })
  const random = seededRandom(11)

  test.each([
    ["oldest first, in one database", { order: "oldest", twoDatabases: false }],
    ["newest first, in two", { order: "newest", twoDatabases: true }],
  ] as const)("are what the independent checker makes of the blocks, %s", async (_, options) => {
    store = await openDeriveStore(blocks, { workers: builtInWorkers, ...options })
    await store.deriveAll({ order: options.order, maxBlocks: 7 })
    await expectRight()
  })

  test("are the same whoever derives which part in which order, and right at every moment", async () => {
    store = await openDeriveStore(blocks, { workers: builtInWorkers })
    const derivers = [await store.deriver(), await store.deriver()]
    for (let i = 0; i < 30; i++) {
      const from = 5 + Math.floor(random.next() * 55)
      const some = builtInWorkers.filter(() => random.next() < 0.6).map(({ name }) => name)
      await Promise.all(
        derivers.map((deriver, at) =>
          store.deriveNext(deriver, {
            region: { from: from + at * 4, to: from + at * 4 + 4 },
            maxBlocks: 1 + Math.floor(random.next() * 6),
            workers: some,
          }),
        ),
      )
      if (i % 10 === 9) await expectRight()
    }
    await store.deriveAll()
    await expectRight()
  })

  test("heights given back are as if never derived, for all who depend on them, and the same again afterwards", async () => {
    store = await openDeriveStore(blocks, { workers: builtInWorkers })
    await store.deriveAll()
    const before = await expectRight()
    const workers = ["token_worker", "meta_worker", "evm_worker", "ft_holdings_worker"]
    for (const [at, worker] of workers.entries()) {
      const from = 5 + at * 14 + Math.floor(random.next() * 5)
      const heights = [
        { from, to: from + 2 },
        { from: from + 5, to: from + 9 },
      ]
      const request = { worker, heights, actor: "test", action: "rederive" }
      expect(await reopenHeights(store, request)).toBe(true)
      expect(await expectRight()).not.toBe(before)
    }
    await store.deriveAll()
    expect(await expectRight()).toBe(before)
  })
})

describe("a worker that fails", () => {
  const blocks = livelyBlocks({ seed: 3, from: 0, to: 30 })
  const counted = (poison: readonly number[]) =>
    defineWorker({
      name: "counted",
      version: 1,
      tables: {
        seen_blocks: eventTable({
          columns: { block_height: int8, transaction_index: int4, event_index: int4, size: int4 },
          key: ["block_height"],
        }),
      },
      extract({ block, emit }) {
        if (poison.includes(block.height)) throw new Error(`cannot take block ${block.height}`)
        const size = block.transactions.length
        emit.seen_blocks({ block_height: block.height, transaction_index: 0, event_index: 0, size })
      },
    })
  const total = defineWorker({
    name: "total",
    version: 1,
    dependencies: ["counted"],
    tables: {
      totals: stateTable({
        key: { transaction_index: int4 },
        columns: { size: sum(numeric) },
        sources: [
          {
            table: "seen_blocks",
            key: { transaction_index: "transaction_index" },
            set: { size: "size" },
          },
        ],
      }),
    },
  })
  const other = defineWorker({
    ...counted([]),
    name: "other",
    tables: { other_blocks: counted([]).tables.seen_blocks },
    extract: ({ block, emit }) =>
      emit.other_blocks({
        block_height: block.height,
        transaction_index: 0,
        event_index: 0,
        size: block.transactions.length,
      }),
  })
  const coverage = async (): Promise<Record<string, string>> => {
    const { rows } = await store.app.query<{ worker_type: string; heights: string }>(
      "select worker_type, heights::text as heights from app.coverage",
    )
    return Object.fromEntries(rows.map((row) => [row.worker_type, row.heights]))
  }
  const deriveWith = async (poison: readonly number[], runs: number): Promise<void> => {
    const deriver = await store.deriver([counted(poison), total, other])
    for (let i = 0; i < runs; i++) await store.deriveNext(deriver)
  }

  test("fails on its block alone: its neighbours, its dependents and the others go on, and a retry after the fix completes it", async () => {
    store = await openDeriveStore(blocks, { workers: [counted([]), total, other] })
    await deriveWith([13], 20)
    expect(await coverage()).toMatchObject({
      counted: "{[0,13),[14,30)}",
      total: "{[0,13),[14,30)}",
      other: "{[0,30)}",
    })
    const { rows: leases } = await store.app.query(
      "select worker_type, from_height, to_height, last_error_code, last_error from app.worker_leases where status <> 'COMPLETED'",
    )
    expect(leases).toEqual([
      {
        worker_type: "counted",
        from_height: "13",
        to_height: "14",
        last_error_code: "WORKER_FAILED",
        last_error: "cannot take block 13",
      },
    ])
    expect(await listErrors(store.app, "app", {})).toMatchObject([
      { worker: "counted", height: 13, message: "cannot take block 13", resolved: false },
    ])
    await store.app.query("update app.worker_leases set next_attempt_at = now() where status = 'FAILED'")
    await deriveWith([], 3)
    expect(await coverage()).toMatchObject({ counted: "{[0,30)}", total: "{[0,30)}" })
    expect(await listErrors(store.app, "app", {})).toMatchObject([{ height: 13, resolved: true }])
    const { rows } = await store.app.query(
      "select size, (select sum(size) from app.other_blocks) as expected from app.totals",
    )
    expect(rows[0]!["size"]).toBe(rows[0]!["expected"])
  })

  test("that is asynchronous fails on every block, and its rejection ends nothing else", async () => {
    const patient = defineWorker({
      ...other,
      name: "patient",
      tables: { patient_blocks: counted([]).tables.seen_blocks },
      extract: async ({ block }) => {
        await Promise.resolve()
        throw new Error(`later, at ${block.height}`)
      },
    })
    store = await openDeriveStore(blocks, { workers: [patient, other] })
    const deriver = await store.deriver()
    await store.deriveNext(deriver)
    expect(await coverage()).toMatchObject({ patient: "{}", other: "{[0,10)}" })
    const { rows: leases } = await store.app.query(
      `select from_height, last_error_code, last_error from app.worker_leases
       where worker_type = 'patient' and last_error is not null and to_height = from_height + 1`,
    )
    const refusal = "extract must be synchronous, but returned a promise"
    expect(leases).toEqual([{ from_height: "0", last_error_code: "WORKER_FAILED", last_error: refusal }])
  })

  test("what it failed on is on record: the transaction and the row that was refused, or what it says itself", async () => {
    const id = (height: number) => `0x${String(height).padStart(64, "0")}`
    const told = defineWorker({
      name: "told",
      version: 1,
      tables: {
        told_blocks: eventTable({
          columns: { block_height: int8, transaction_id: bytes, size: int4 },
          key: ["block_height"],
        }),
      },
      extract({ block: { height }, emit }) {
        if (height === 7) throw Object.assign(new Error("no"), { transactionId: id(7), rawData: "input" })
        emit.told_blocks({ block_height: height, transaction_id: id(height), size: height === 13 ? 1.5 : 1 })
      },
    })
    store = await openDeriveStore(blocks, { workers: [told] })
    const deriver = await store.deriver()
    for (let i = 0; i < 8; i++) await store.deriveNext(deriver)
    const errors = await listErrors(store.app, "app")
    expect(errors.sort((a, b) => a.height - b.height)).toMatchObject([
      {
        height: 7,
        transactionId: id(7),
        rawData: Buffer.from("input"),
        rawRef: "raw.blocks/7",
        severity: "WARN",
      },
      {
        ...{ height: 13, transactionId: id(13), rawRef: "raw.blocks/13" },
        rawData: Buffer.from(JSON.stringify({ block_height: 13, transaction_id: id(13), size: 1.5 })),
      },
    ])
  })

  test("a skipped block counts as done, and taken up again later gives what would have been there", async () => {
    store = await openDeriveStore(blocks, { workers: [counted([]), total, other] })
    await deriveWith([13], 20)
    await store.app.query("update app.worker_leases set status = 'DEAD' where status = 'FAILED'")
    await store.app.query(
      "with gone as (delete from app.worker_leases where status = 'DEAD') update app.coverage set skipped = '{[13,14)}' where worker_type = 'counted'",
    )
    await deriveWith([], 3)
    expect(await coverage()).toMatchObject({ counted: "{[0,13),[14,30)}", total: "{[0,30)}" })
    const request = {
      worker: "counted",
      heights: [{ from: 13, to: 14 }],
      actor: "test",
      action: "retry",
    }
    expect(await reopenHeights(store, request)).toBe(true)
    expect(await coverage()).toMatchObject({ counted: "{[0,13),[14,30)}", total: "{[0,13),[14,30)}" })
    await deriveWith([], 3)
    expect(await coverage()).toMatchObject({ counted: "{[0,30)}", total: "{[0,30)}" })
    const { rows } = await store.app.query(
      "select size, (select sum(size) from app.other_blocks) as expected from app.totals",
    )
    expect(rows[0]!["size"]).toBe(rows[0]!["expected"])
  })
})

test("a bug is left to the runner, which has isolated it; an outage fails the loop", () => {
  const failed = { kind: "failed", range: { from: 0, to: 1 }, attempt: 1 } as const
  expect(faultsOf({ ...failed, cause: "bug", error: new TypeError("undefined is not a block") })).toEqual([])
  const outage = new IndexerError("DATABASE_UNREACHABLE", "gone")
  expect(() => faultsOf({ ...failed, cause: "outage", error: outage })).toThrow(outage)
})
