import { afterEach, beforeEach, expect, test } from "vitest"
import { openRawStore, type RawStore } from "../../test/support/raw-store.js"
import { testLedgers } from "../../test/support/test-ledgers.js"
import { defaultFailurePolicy } from "../coordination/after-failure.js"
import { rawIngester } from "../coordination/raw-ingester.js"
import { evmFamily } from "../families/evm/evm-family.js"
import { listErrors } from "../indexing-errors/list-errors.js"
import { recordError } from "../indexing-errors/record-error.js"
import { systemClock } from "../platform/clock.js"
import { IndexerError } from "../platform/errors.js"
import { silentLogger } from "../platform/logger.js"
import { systemRandom } from "../platform/random.js"
import { StoredRegistry } from "../workers/postgres/stored-registry.js"
import { composeCoordination } from "./compose-coordination.js"

let store: RawStore
beforeEach(async () => {
  store = await openRawStore()
})
afterEach(() => store.close())

const claim = (height: number) =>
  store.leases.claim({
    ...{ worker: rawIngester, holder: "test", regions: [{ from: height, to: height + 1 }], rangeSize: 1_000 },
    ...{ maxBlocks: 1, order: "oldest", ttlMs: 30_000, dependencies: [] },
  })

test("a block that the reaper makes DEAD is logged as fatal, counted, and has a FATAL error, with or without an earlier one", async () => {
  const { database } = store
  const reaped: number[] = []
  const dead: unknown[] = []
  const logged: unknown[] = []
  const { reapers } = composeCoordination(
    {
      ...{ raw: database, app: database, clock: systemClock, random: systemRandom },
      logger: { ...silentLogger, fatal: ({ worker, height }) => logged.push([worker, height]) },
      ...{ family: evmFamily, ledgers: testLedgers, storedWorkers: new StoredRegistry() },
      patiently: (act) => act(),
    },
    {
      policy: { ...defaultFailurePolicy, maxAttempts: 1 },
      ...{ reapIntervalMs: 1_000, finishIntervalMs: 1_000, copyIntervalMs: 1_000 },
      ...{ ingests: true, onCopied: () => undefined },
      onReaped: (outcome) => reaped.push(outcome.dead.length),
      onDead: ({ worker, height }) => dead.push([worker, height]),
    },
  )
  for (const height of [5, 6, 7]) await claim(height)
  const earlier = new IndexerError("VERIFY_FAILED", "the bloom does not match")
  for (const height of [6, 7]) {
    await recordError(database, "raw", {
      worker: rawIngester,
      range: { from: height, to: height + 1 },
      error: earlier,
    })
  }
  await database.query(
    // So short that no restart of the server can lie in between.
    "update raw.worker_leases set lease_expires_at = now(), lease_ttl_ms = 1 where from_height < 7",
  )
  for (const reaper of reapers) await reaper.runOnce()
  expect(reaped).toEqual([2, 0])
  expect(dead).toEqual([5, 6].map((height) => [rawIngester, height]))
  expect(logged).toEqual(dead)
  const errors = await listErrors(database, "raw")
  expect(errors.map(({ height, message, severity }) => [height, message, severity]).sort()).toEqual([
    [5, "the holder stopped renewing its lease", "FATAL"],
    [6, "the bloom does not match", "FATAL"],
    [6, "the holder stopped renewing its lease", "FATAL"],
    [7, "the bloom does not match", "WARN"],
  ])
})
