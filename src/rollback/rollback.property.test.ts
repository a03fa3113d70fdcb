import { afterEach, describe, expect, test } from "vitest"
import { checkDerived } from "../../proof/checker/check-derived.js"
import { formatReport } from "../../proof/checker/format-report.js"
import { type DerivePause, type DeriveStore, openDeriveStore } from "../../test/support/derive-store.js"
import { livelyBlocks } from "../../test/support/lively-blocks.js"
import type { BlockRow } from "../../test/support/raw-rows.js"
import { brokenLookups, rollbackTo } from "../../test/support/rollback-store.js"
import { seededRandom } from "../../test/support/seeded-random.js"
import { builtInWorkers } from "../families/evm/indexes/built-in-workers.js"
import { isIndexerError } from "../platform/errors.js"
import type { DeriveOutcome } from "../workers/range-deriver.js"

const names = builtInWorkers.map(({ name }) => name)
let store: DeriveStore
afterEach(() => store.close())

async function expectRight(): Promise<void> {
  const report = await checkDerived(store)
  // An empty store is right too, though there was nothing to compare.
  const isEmpty = report.tables.every(({ rowsExpected, rowsFound }) => rowsExpected + rowsFound === 0)
  if (!report.ok && !(isEmpty && report.withoutRaw.length === 0)) throw new Error(formatReport(report))
  expect(await brokenLookups(store.raw)).toEqual([])
}

/** Another branch, whose blocks repeat the transactions of the lost one, some of them a block later. */
function branch({ seed, from, to }: { seed: number; from: number; to: number }): BlockRow[] {
  const lost = livelyBlocks({ seed: 0, from, to }).flatMap(({ transactions }) => transactions.map(({ id }) => id))
  return livelyBlocks({ seed, from, to }).map((block) => ({
    ...block,
    hash: `${block.height.toString(16).padStart(8, "0")}${seed.toString(16).padStart(8, "0")}`.padEnd(64, "e"),
    transactions: block.transactions.map((transaction) => ({
      ...transaction,
      id: lost.pop() ?? transaction.id,
    })),
  }))
}

/** A deriver that pauses while it holds a range, until `goOn` is called. */
async function heldUp(
  at: "claimed" | "written",
  request: { region: { from: number; to: number }; workers: string[] },
) {
  let goOn!: () => void
  let pauses!: () => void
  const paused = new Promise<void>((resolve) => {
    pauses = resolve
  })
  const released = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const pause: DerivePause = {
    at: async (moment) => {
      if (moment !== at) return
      pauses()
      await released
    },
  }
  const outcome = store.deriveNext(await store.deriver(undefined, { pause }), { ...request, maxBlocks: 6 })
  // A group that only folds reads no blocks, so it never pauses.
  const wasPaused = await Promise.race([paused.then(() => true), outcome.then(() => false)])
  return { outcome, goOn, wasPaused }
}

const wasRefused = (outcome: DeriveOutcome): boolean =>
  outcome.kind === "failed" &&
  (isIndexerError(outcome.error, "ROLLED_BACK") ||
    isIndexerError(outcome.error, "LEASE_LOST") ||
    isIndexerError(outcome.error, "NOT_COVERED") ||
    // The rollback that cut its lease ended its connection.
    isIndexerError(outcome.error, "DATABASE_UNREACHABLE"))

describe.each([
  ["one database", false, 1],
  ["two databases", true, 3],
])("rollbacks at random, in %s,", (_, twoDatabases, seed) => {
  test("leave what is derived as if the lost blocks had never been seen", async () => {
    const random = seededRandom(seed)
    const below = (n: number): number => Math.floor(random.next() * n)
    const some = (): string[] => names.filter(() => random.next() < 0.7)
    let tip = 40
    store = await openDeriveStore(branch({ seed, from: 0, to: tip }), {
      workers: builtInWorkers,
      twoDatabases,
    })
    const deriver = await store.deriver()
    for (let round = 1; round <= 5; round++) {
      for (let i = 0; i < 5; i++) {
        const from = below(tip)
        const region = { from, to: Math.min(tip, from + 12) }
        await store.deriveNext(deriver, { region, workers: some(), maxBlocks: 1 + below(9) })
      }
      if (round % 3 === 0) await store.deriveAll()
      const height = Math.max(1, tip - (round % 2 === 0 ? 1 + below(4) : below(tip)))
      const heldFrom = below(tip)
      const held = await heldUp(round % 2 === 0 ? "claimed" : "written", {
        region: { from: heldFrom, to: tip },
        workers: names,
      })
      await rollbackTo(store, height)
      await expectRight()
      held.goOn()
      const outcome = await held.outcome
      if (held.wasPaused && outcome.kind !== "idle" && outcome.range.to > height)
        expect(wasRefused(outcome)).toBe(true)
      else if (outcome.kind === "failed") throw outcome.error
      await expectRight()
      tip = height + 1 + below(12)
      await store.append(branch({ seed: seed * 100 + round, from: height, to: tip }))
    }
    await store.deriveAll()
    await expectRight()
    const { rows } = await store.app.query(
      "select 1 from app.coverage where heights <> int8multirange(int8range(0, $1::int8))",
      [tip],
    )
    expect(rows).toEqual([])
  })
})
