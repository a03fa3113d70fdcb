import { afterEach, beforeEach, expect, test } from "vitest"
import { openRawStore, type RawStore } from "../../test/support/raw-store.js"
import { systemClock } from "../platform/clock.js"
import { IndexerError } from "../platform/errors.js"
import { silentLogger } from "../platform/logger.js"
import { ErrorPruner } from "./error-pruner.js"
import { listErrors } from "./list-errors.js"
import { recordError } from "./record-error.js"
import { resolveErrors } from "./resolve-errors.js"

let store: RawStore
beforeEach(async () => {
  store = await openRawStore()
})
afterEach(() => store.close())

test.each(["raw", "app"] as const)(
  "resolved errors of %s are deleted by age and by number, open ones never",
  async (schema) => {
    const { database } = store
    const error = new IndexerError("VERIFY_FAILED", "the bloom does not match")
    for (let height = 0; height < 8; height++)
      await recordError(database, schema, { worker: "w", range: { from: height, to: height + 1 }, error })
    await resolveErrors(database, schema, { workers: ["w"], range: { from: 1, to: 7 } })
    // Heights are days ago.
    await database.query(
      `update ${schema}.indexing_errors set updated_at = clock_timestamp() - make_interval(days => block_height::int4)`,
    )
    const heights = async (): Promise<number[]> =>
      (await listErrors(database, schema)).map(({ height }) => height).sort((a, b) => a - b)
    const prune = (keepDays: number, keepEntries: number): Promise<number | undefined> =>
      new ErrorPruner({
        ...{ raw: database, app: database, clock: systemClock, logger: silentLogger, intervalMs: 1_000 },
        ...{ keepDays, keepEntries },
      }).runOnce()
    await prune(30, 1_000)
    expect(await heights()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    await prune(5, 1_000)
    expect(await heights()).toEqual([0, 1, 2, 3, 4, 7])
    await prune(30, 2)
    expect(await heights()).toEqual([0, 1, 2, 7])
  },
)
