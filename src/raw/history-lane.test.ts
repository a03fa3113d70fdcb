import { expect, test } from "vitest"
import { VirtualClock } from "../../test/support/virtual-clock.js"
import type { BlockRange } from "../domain/block-range.js"
import { IndexerError } from "../platform/errors.js"
import { silentLogger } from "../platform/logger.js"
import { systemRandom } from "../platform/random.js"
import type { ChainState } from "./chain-state.js"
import { HistoryLane } from "./history-lane.js"
import type { IngestOutcome, IngestRequest, RangeIngester } from "./range-ingester.js"

const clock = new VirtualClock()
/** What the lane would have claimed from. */
let regions: readonly BlockRange[] = []
const state = { startHeight: 0, liveFrom: 100, headHeight: 120, finalizedHeight: 100 } as ChainState

const lane = (outcome: IngestOutcome | (() => IngestOutcome)): HistoryLane =>
  new HistoryLane({
    ingester: {
      ingestNext: async (request: IngestRequest) => {
        regions = request.regions(state)
        return typeof outcome === "function" ? outcome() : outcome
      },
    } as unknown as RangeIngester,
    ...{ clock, logger: silentLogger, random: systemRandom, intervalMs: 1_000 },
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

test("a range that does not fit what is stored beside it keeps no lane from the others, and is tried ever more rarely", async () => {
  const error = new IndexerError("SEAM_MISMATCH", "block 40 names another parent")
  const refused = { ...failed, range: { from: 40, to: 50 }, cause: "rollback", error } as const
  let outcome: IngestOutcome = refused
  const one = lane(() => outcome)
  const without = [
    { from: 0, to: 40 },
    { from: 50, to: 100 },
  ]
  for (const waitMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    outcome = refused
    // The next range follows at once.
    expect(await one.runOnce(signal)).toBe(0)
    expect(regions).toEqual([{ from: 0, to: 100 }])
    clock.advance(waitMs - 1)
    outcome = { kind: "idle", early: false }
    await one.runOnce(signal)
    expect(regions).toEqual(without)
    clock.advance(1)
  }
})
