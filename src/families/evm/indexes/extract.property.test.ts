import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { arbitraryBlock } from "../../../../test/support/arbitrary-block.js"
import { type PlainRow, runExtract } from "../../../../test/support/run-extract.js"
import type { EventTable, WorkerDefinition } from "../../../workers/worker-definition.js"
import { evmWorker } from "./evm/evm-worker.js"
import { metaWorker } from "./meta/meta-worker.js"
import { txMetricsWorker } from "./tx-metrics/tx-metrics-worker.js"

const workers: readonly WorkerDefinition[] = [evmWorker, metaWorker, txMetricsWorker]

const keyOf = (table: EventTable, row: PlainRow): string => table.key.map((column) => String(row[column])).join(" ")

describe.each(workers.map((worker) => [worker.name, worker] as const))("%s, whatever the block", (_, worker) => {
  const tables = Object.entries(worker.tables).filter(
    (entry): entry is [string, EventTable] => entry[1].kind === "events",
  )

  test("gives rows of its tables' columns, no null where none may be, no key twice", () => {
    fc.assert(
      fc.property(arbitraryBlock, (block) => {
        const emitted = runExtract(worker, block)
        for (const [name, table] of tables) {
          const rows = emitted[name]!
          for (const row of rows) {
            expect(Object.keys(row)).toEqual(Object.keys(table.columns))
            for (const [column, { nullable }] of Object.entries(table.columns)) {
              if (row[column] === undefined || (row[column] === null && !nullable))
                expect.fail(`${name}.${column} is ${row[column]}`)
            }
          }
          expect(new Set(rows.map((row) => keyOf(table, row))).size).toBe(rows.length)
        }
      }),
      { numRuns: 150 },
    )
  })

  test("gives the same rows again", () => {
    fc.assert(
      fc.property(arbitraryBlock, (block) => {
        expect(runExtract(worker, block)).toEqual(runExtract(worker, block))
      }),
      { numRuns: 30 },
    )
  })
})

test("each address of a transaction is first in exactly one of its roles", () => {
  fc.assert(
    fc.property(arbitraryBlock, (block) => {
      const firsts = new Map<string, number>()
      for (const row of runExtract(metaWorker, block)["address_transactions"]!) {
        const key = `${row["transaction_id"]} ${row["address"]}`
        firsts.set(key, (firsts.get(key) ?? 0) + Number(row["first_of_transaction"]))
      }
      expect([...firsts.values()].every((count) => count === 1)).toBe(true)
    }),
  )
})

test("nobody burns more than the fee", () => {
  fc.assert(
    fc.property(arbitraryBlock, (block) => {
      for (const { fee, burnt } of runExtract(txMetricsWorker, block)["tx_metrics"]!) {
        expect(burnt as bigint).toBeLessThanOrEqual(fee as bigint)
      }
    }),
  )
})
