import { expect, test } from "vitest"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import { IndexerError } from "../platform/errors.js"
import { silentLogger } from "../platform/logger.js"
import { systemRandom } from "../platform/random.js"
import { HistoryLane } from "./history-lane.js"
import type { IngestOutcome, RangeIngester } from "./range-ingester.js"

const lane = (outcome: IngestOutcome): HistoryLane =>
  new HistoryLane({
    ingester: { ingestNext: async () => outcome } as unknown as RangeIngester,
    ...{ clock: new VirtualClock(), logger: silentLogger, random: systemRandom, intervalMs: 1_000 },
    ...{ order: "oldest", endBlock: undefined, rangeSize: 100, targetBytes: 1, leaseTtlMs: 1_000 },
    mayClaim: () => true,
    onOutcome: () => undefined,
  })
const failed = { kind: "failed", range: { from: 0, to: 1 }, attempt: 1 } as const
const { signal } = new AbortController()

test("a bug in one range does not fail the lane: the next range follows after the interval", async () => {
  const error = new TypeError("undefined is not a block")
  expect(await lane({ ...failed, cause: "bug", error }).runOnce(signal)).toBeUndefined()
})

test("an outage fails the lane: the next range would meet it too", async () => {
  const error = new IndexerError("RPC_UNREACHABLE", "no")
  await expect(lane({ ...failed, cause: "outage", error }).runOnce(signal)).rejects.toBe(error)
})
