// Fills history, one leased range after the other. Several lanes run in a thread, so that one encodes while another
// waits for the node or for Postgres. A lane aims at a number of bytes, so ranges of big blocks are shorter.

import type { LaneOptions } from "../coordination/lane-options.js"
import type { FailedRange } from "../coordination/leased-range-runner.js"
import { codeOf, describeError, type ErrorCode, isIndexerError } from "../platform/errors.js"
import { LoopingService } from "../platform/looping-service.js"
import { historyRegions } from "./claim-regions.js"
import type { IngestOutcome, RangeIngester } from "./range-ingester.js"
import { RefusedRanges } from "./refused-ranges.js"

export interface HistoryLaneOptions extends LaneOptions<IngestOutcome> {
  readonly ingester: RangeIngester
  readonly order: "oldest" | "newest"
  readonly rangeSize: number
  /** Encoded bytes that a range should have. */
  readonly targetBytes: number
}

const mismatches: readonly ErrorCode[] = ["SEAM_MISMATCH", "PARENT_MISMATCH"]
/** The interval until the head follower has reported the head. */
const earlyMs = 50
const firstGuessBytesPerBlock = 100_000

export class HistoryLane extends LoopingService {
  private bytesPerBlock = firstGuessBytesPerBlock
  private readonly refused: RefusedRanges

  constructor(private readonly options: HistoryLaneOptions) {
    super({ ...options, name: "history-lane" })
    this.refused = new RefusedRanges(options)
  }

  async runOnce(signal: AbortSignal): Promise<number | undefined> {
    const { ingester, endBlock, rangeSize, leaseTtlMs, targetBytes, order } = this.options
    if (!this.options.mayClaim()) return undefined
    const outcome = await ingester.ingestNext(
      {
        regions: (state) => this.refused.outOf(historyRegions(state, { endBlock })),
        maxBlocks: Math.max(1, Math.min(rangeSize, Math.floor(targetBytes / this.bytesPerBlock))),
        ttlMs: leaseTtlMs,
        order,
      },
      signal,
    )
    this.options.onOutcome(outcome)
    switch (outcome.kind) {
      case "idle":
        return outcome.early ? earlyMs : undefined
      case "done":
        this.learn(outcome.result.encodedBytes / outcome.result.blocks)
        return 0
      case "failed":
        return this.afterFault(outcome)
    }
  }

  /** Ranges grow slowly and shrink at once, so that a run of big blocks does not meet a long range. */
  private learn(bytesPerBlock: number): void {
    const seen = Math.max(1, bytesPerBlock)
    this.bytesPerBlock = seen > this.bytesPerBlock ? seen : this.bytesPerBlock * 0.5 + seen * 0.5
  }

  private afterFault({ range, attempt, cause, error }: FailedRange): number | undefined {
    if (cause === "shutdown") return undefined
    // The runner has reported it. It may be in every range, so the next one follows after the interval.
    if (cause === "bug") return undefined
    // It does not fit what is stored beside it, and other ranges may: a lane that waited would find it due again.
    if (isIndexerError(error) && mismatches.includes(error.code)) {
      const waitMs = this.refused.add(range)
      this.logger.warn({ ...range, waitMs, error: describeError(error), code: error.code }, "a range was refused")
      return 0
    }
    // After an outage or a reorganisation the next range would fail too, so the loop backs off.
    if (cause !== "failure") throw error
    this.logger.warn({ ...range, attempt, error: describeError(error), code: codeOf(error) }, "a range failed")
    return 0
  }
}
