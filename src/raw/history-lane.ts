// Fills history, one leased range after the other. Several lanes run in a thread, so that one encodes while another
// waits for the node or for Postgres. Ranges shrink for big blocks: a lane aims at so many bytes, not so many blocks.

import type { FailedRange } from "../coordination/leased-range-runner.js"
import type { Clock } from "../platform/clock.js"
import { codeOf, describeError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import type { Random } from "../platform/random.js"
import { historyRegions } from "./claim-regions.js"
import type { IngestOutcome, RangeIngester } from "./range-ingester.js"

export interface HistoryLaneOptions {
  readonly ingester: RangeIngester
  readonly clock: Clock
  readonly logger: Logger
  readonly random: Random
  readonly order: "oldest" | "newest"
  readonly endBlock: number | undefined
  readonly rangeSize: number
  readonly leaseTtlMs: number
  /** Encoded bytes a range should come to. */
  readonly targetBytes: number
  readonly idleMs: number
  readonly mayClaim: () => boolean
  readonly onOutcome: (outcome: IngestOutcome) => void
}

/** Between looks until the head follower has said where the head is. */
const earlyMs = 50
const firstGuessBytesPerBlock = 100_000

export class HistoryLane extends LoopingService {
  private readonly options: HistoryLaneOptions
  private bytesPerBlock = firstGuessBytesPerBlock

  constructor(options: HistoryLaneOptions) {
    super({
      name: "history-lane",
      clock: options.clock,
      logger: options.logger,
      random: options.random,
      intervalMs: options.idleMs,
    })
    this.options = options
  }

  async runOnce(signal: AbortSignal): Promise<number | undefined> {
    const { ingester, endBlock, rangeSize, leaseTtlMs, targetBytes, order } = this.options
    if (!this.options.mayClaim()) return undefined
    const outcome = await ingester.ingestNext(
      {
        regions: (state) => historyRegions(state, { endBlock }),
        maxBlocks: Math.max(1, Math.min(rangeSize, Math.floor(targetBytes / this.bytesPerBlock))),
        ttlMs: leaseTtlMs,
        order,
        inOrder: false,
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

  /** Grows slowly, shrinks at once: a run of big blocks must not find a long range in hand. */
  private learn(bytesPerBlock: number): void {
    const seen = Math.max(1, bytesPerBlock)
    this.bytesPerBlock = seen > this.bytesPerBlock ? seen : this.bytesPerBlock * 0.5 + seen * 0.5
  }

  private afterFault({ range, attempt, cause, error }: FailedRange): number | undefined {
    if (cause === "shutdown") return undefined
    // An outage, a chain that moved or a bug: the next range would fare no better, so the loop backs off.
    if (cause !== "failure") throw error
    this.logger.warn(
      { ...range, attempt, error: describeError(error), code: codeOf(error) },
      "a range failed",
    )
    return 0
  }
}
