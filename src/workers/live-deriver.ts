// Derives the tip for all workers in one transaction, as soon as app knows of a new raw block. Woken by the copier of raw's
// coverage, and polls a few times a second. A failed range is retried like any other. A slow worker is left to the history
// lanes, so that it does not delay the others.

import type { LaneOptions } from "../coordination/lane-options.js"
import type { BlockRange } from "../domain/block-range.js"
import { LoopingService } from "../platform/looping-service.js"
import type { TipGate } from "../platform/tip-gate.js"
import { type DeriveClaim, type DeriveOutcome, faultsOf, type RangeDeriver } from "./range-deriver.js"
import type { SlowWorkers } from "./slow-workers.js"
import type { WorkPlan } from "./work-plan.js"

export interface LiveDeriverOptions extends Omit<LaneOptions<DeriveOutcome>, "intervalMs"> {
  readonly deriver: RangeDeriver
  readonly readPlan: () => Promise<WorkPlan | undefined>
  /** Only the tip's: the history lanes are in other threads. */
  readonly slow: SlowWorkers
  /** Closed while there is something to derive. */
  readonly gate?: Pick<TipGate, "begin" | "end" | "moved">
  readonly pollMs: number
  /** Every worker that is not slow has these blocks now. */
  readonly onDerived: (range: BlockRange) => void
}

/** What lies deeper below the tip is history. */
const tipBlocks = 64
const blocksPerLease = 8
/** How often failed or reopened ranges are looked for while nothing is new. */
const retryCheckMs = 1_000

export class LiveDeriver extends LoopingService {
  private seenEnd = 0
  /** The tip has moved since this service started. */
  private moves = false
  private idleAt = Number.NEGATIVE_INFINITY
  /** What is stored after this is left to the next iteration. */
  private readAt = 0

  constructor(private readonly options: LiveDeriverOptions) {
    super({ ...options, name: "live-deriver", intervalMs: options.pollMs, maxBackoffMs: 5_000 })
  }

  /** There is something new, and app knows of it. */
  override wake(): void {
    this.options.gate?.begin("tip")
    // Even if it ends at the same height: some of it may be new.
    this.idleAt = Number.NEGATIVE_INFINITY
    super.wake()
  }

  async runOnce(signal: AbortSignal): Promise<number | undefined> {
    this.readAt = this.clock.monotonic()
    try {
      return await this.derive(signal)
    } finally {
      this.options.gate?.end("tip", this.readAt)
    }
  }

  private async derive(signal: AbortSignal): Promise<undefined> {
    const { readPlan, endBlock, mayClaim, gate } = this.options
    if (!mayClaim()) return undefined
    const plan = await readPlan()
    if (!plan) return undefined
    const to = endBlock === undefined ? plan.rawEnd : Math.min(plan.rawEnd, endBlock + 1)
    if (to > this.seenEnd) {
      // Another process may have stored it, without a wake in this one.
      gate?.begin("tip")
      this.readAt = this.clock.monotonic()
      if (this.seenEnd > 0) gate?.moved()
    }
    const isNew = to !== this.seenEnd
    // What was stored before the start is derived in one range: that costs half as much as block by block.
    if (this.seenEnd > 0 && isNew) this.moves = true
    this.seenEnd = to
    const now = this.clock.monotonic()
    if (!isNew && now - this.idleAt < retryCheckMs) return undefined
    const region = { from: Math.max(plan.startHeight, to - tipBlocks), to }
    while (!signal.aborted && (await this.takeAll(plan, region, signal)));
    await this.trySlow(plan, region, signal)
  }

  /** For all workers that are not slow. Returns true while there may be more. */
  private async takeAll({ members }: WorkPlan, region: BlockRange, signal: AbortSignal): Promise<boolean> {
    const { slow, onDerived } = this.options
    const quick = members.filter(({ worker }) => !slow.has(worker))
    const maxBlocks = this.moves ? blocksPerLease : tipBlocks
    const outcome = await this.take({ members: quick, region, maxBlocks, order: "oldest" }, signal)
    switch (outcome.kind) {
      case "idle":
        this.idleAt = this.clock.monotonic()
        return false
      case "failed":
        return outcome.cause !== "shutdown"
      case "done": {
        const { committed } = outcome.result
        if (quick.length > 1) slow.learn(outcome.result)
        if (committed.length === quick.length) onDerived(outcome.range)
        // All workers reached the end: stop here, since history waits meanwhile.
        return outcome.range.to < region.to || committed.length < quick.length
      }
    }
  }

  /** Tries a slow worker again after a minute, with one block, when the others are done: the next block waits for no more. */
  private async trySlow({ members }: WorkPlan, region: BlockRange, signal: AbortSignal): Promise<void> {
    const { slow } = this.options
    for (const member of members) {
      if (signal.aborted || !slow.isDue(member.worker)) continue
      const outcome = await this.take({ members: [member], region, maxBlocks: 1, order: "newest" }, signal)
      if (outcome.kind === "done") slow.learn(outcome.result)
    }
  }

  private async take(
    { region, ...claim }: Pick<DeriveClaim, "members" | "maxBlocks" | "order"> & { region: BlockRange },
    signal: AbortSignal,
  ): Promise<DeriveOutcome> {
    const { deriver, leaseTtlMs, onOutcome } = this.options
    const outcome = await deriver.deriveNext({ ...claim, regions: [region], ttlMs: leaseTtlMs }, signal)
    onOutcome(outcome)
    for (const fault of faultsOf(outcome)) this.logger.warn(fault, "a worker failed at the tip")
    return outcome
  }
}
