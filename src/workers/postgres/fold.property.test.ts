import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sampleEvents, sampleStates, sampleWorker, zeroAddress } from "../../../test/support/fold-samples.js"
import { insertEvents, readState, stateAsText } from "../../../test/support/fold-tables.js"
import { type EventRows, foldRows } from "../../../test/support/memory-fold.js"
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.js"
import { testLedgers } from "../../../test/support/test-ledgers.js"
import { containsHeight, emptySet, type RangeSet, rangeSet, subtract, union } from "../../domain/range-set.js"
import { Connection } from "../../postgres/connection.js"
import type { UpstreamRow } from "../worker-definition.js"
import { WorkerRegistry } from "../worker-registry.js"
import { applyFold, applySql } from "./apply-fold.js"
import { diffFold } from "./diff-fold.js"
import { diffFoldByHeight } from "./diff-fold-by-height.js"
import { ensureWorkerTables } from "./ensure-worker-tables.js"
import { undoFold } from "./undo-fold.js"

const heights = 10
const maxAmount = 2n ** 256n - 1n
const address = fc.constantFrom(zeroAddress, `0x${"0a".repeat(20)}`, `0x${"0b".repeat(20)}`)
const small = fc.integer({ min: 0, max: 2 })
const amounts = fc.oneof(fc.bigInt({ min: 0n, max: 5n }), fc.constant(maxAmount))
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 3 })
const times = fc.bigInt({ min: 0n, max: 3n * 86_400_000_000n })
const place = {
  block_height: fc.integer({ min: 0, max: heights - 1 }),
  transaction_index: small,
  timestamp: times,
}
const keyed = (row: UpstreamRow) =>
  ["block_height", "transaction_index", "event_index", "batch_index"].map((name) => row[name]).join()
const rowsOf = (row: fc.Arbitrary<UpstreamRow>) => fc.uniqueArray(row, { maxLength: 25, selector: keyed })
const fork: fc.Arbitrary<EventRows> = fc.record({
  transfers: rowsOf(
    fc.record({
      ...place,
      event_index: small,
      batch_index: small,
      contract_address: address,
      from_address: address,
      to_address: address,
      operator: orNull(address),
      amount: amounts,
      kind: fc.constantFrom("it's", "mint"),
    }),
  ),
  calls: rowsOf(
    fc.record({
      ...place,
      from_address: orNull(address),
      to_address: orNull(address),
      status: orNull(fc.constantFrom(0, 1)),
      value: orNull(amounts),
      gas: orNull(fc.integer({ min: 0, max: 4 })),
    }),
  ),
})
const someHeights = fc
  .array(fc.tuple(fc.nat(heights), fc.nat(heights)), { minLength: 1, maxLength: 3 })
  .map((pairs) => rangeSet(pairs.map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))))
/** An undo alone, or as in a rollback: the event rows go, and others come. */
const steps = fc.array(
  fc.record({ act: fc.constantFrom("apply", "apply", "undo", "rollback"), heights: someHeights }),
  { minLength: 1, maxLength: 7 },
)

const transferAt = (block_height: number): UpstreamRow => ({
  ...{ block_height, transaction_index: 0, event_index: 0, batch_index: 0, timestamp: 0n },
  ...{ contract_address: zeroAddress, from_address: zeroAddress, to_address: zeroAddress, operator: null },
  ...{ amount: 1n, kind: "mint" },
})
/** Rows that lie between covered ones and are not covered: chance makes too few of these to be relied on. */
const betweenCovered: [EventRows, EventRows, { act: string; heights: RangeSet }[]] = [
  { transfers: [1, 4, 7].map(transferAt), calls: [] },
  { transfers: [], calls: [] },
  [
    {
      act: "apply",
      heights: [
        { from: 0, to: 2 },
        { from: 7, to: 8 },
      ],
    },
    { act: "undo", heights: [{ from: 7, to: 8 }] },
    { act: "undo", heights: [{ from: 1, to: 8 }] },
  ],
]

describe("folds", () => {
  let test: TestDatabase
  let connection: Connection
  const registry = new WorkerRegistry([sampleWorker])
  const plans = registry.folds.get(sampleWorker.name)!
  beforeAll(async () => {
    test = await createTestDatabase()
    connection = await Connection.open({ url: test.url, applicationName: "test" })
    await ensureWorkerTables({ executor: connection, ledger: testLedgers.app }, { registry })
  })
  afterAll(async () => {
    await connection?.end()
    await test?.drop()
  })

  it("no plan compares rows of a range with each other, even of tables without statistics", async () => {
    for (const plan of plans) {
      const { rows } = await connection.query<{ "QUERY PLAN": string }>(`explain ${applySql(plan)}`, [0, 1_000])
      expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).not.toMatch(/Nested Loop|Join/)
    }
  })

  it("a state table is the fold over exactly its coverage, whatever was applied, undone and applied again", async () => {
    await fc.assert(
      fc.asyncProperty(fork, fork, steps, async (one, other, acts) => {
        const tables = [...Object.keys(sampleEvents), ...Object.keys(sampleStates)]
        await connection.query(`truncate ${tables.map((name) => `app.${name}`).join(", ")}`)
        await insertEvents(connection, sampleWorker, one)
        let events = one
        let replaced: RangeSet = emptySet
        let coverage: RangeSet = emptySet
        for (const { act, heights } of acts) {
          if (act === "apply") {
            // Highest first: no order of ranges may matter.
            for (const range of [...subtract(heights, coverage)].reverse())
              for (const plan of plans) await applyFold(connection, plan, { range })
            coverage = union(coverage, heights)
          } else {
            for (const plan of plans)
              await connection.transaction((tx) => undoFold(tx, plan, { removed: heights, coverage }))
            coverage = subtract(coverage, heights)
          }
          if (act === "rollback") {
            replaced = union(replaced, heights)
            const from = (rows: EventRows, wanted: boolean, table: string) =>
              rows[table]!.filter((row) => containsHeight(replaced, Number(row["block_height"])) === wanted)
            events = Object.fromEntries(
              Object.keys(sampleEvents).map((table) => [
                table,
                [...from(one, false, table), ...from(other, true, table)],
              ]),
            )
            await connection.query("truncate app.transfers, app.calls")
            await insertEvents(connection, sampleWorker, events)
          }
          const covered = Object.fromEntries(
            Object.entries(events).map(([table, rows]) => [
              table,
              rows.filter((row) => containsHeight(coverage, Number(row["block_height"]))),
            ]),
          )
          for (const plan of plans) {
            const expected = stateAsText(plan, foldRows(sampleStates[plan.table]!, covered))
            expect(await readState(connection, plan), plan.table).toEqual(expected)
            expect(await diffFold(connection, plan, { coverage }), plan.table).toEqual([])
          }
        }
        // Of other heights, so that there are differences: the result does not depend on the pieces.
        const [wanted, limit] = [subtract(coverage, [{ from: 3, to: 5 }]), 1_000]
        for (const plan of plans) {
          const whole = await diffFold(connection, plan, { coverage: wanted, limit })
          const inPieces = await connection.transaction((tx) =>
            diffFoldByHeight(tx, plan, { coverage: wanted, limit, perPiece: 2 }),
          )
          expect(inPieces, plan.table).toEqual(whole)
        }
      }),
      { numRuns: 15, examples: [betweenCovered] },
    )
  })
})
