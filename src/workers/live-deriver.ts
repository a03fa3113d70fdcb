// Derives the tip: as soon as raw has a block, for all workers at once, in one transaction. Woken by the process that stored
// the block; others look a few times a second. What fails here is a lease like any other, retried until it is done. A worker that
// is slow is left to history's lanes: nobody's block waits for it.

import type { Clock } from "../platform/clock.js"
import { describeError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import type { Random } from "../platform/random.js"
import type { TipGate } from "../platform/tip-gate.js"
import type { DeriveOutcome, RangeDeriver } from "./range-deriver.js"
import type { RawCoverageCopier } from "./raw-coverage-copier.js"
import type { SlowWorkers } from "./slow-workers.js"
import type { WorkPlan } from "./work-plan.js"
import { WorkerFault } from "./worker-fault.js"

export interface LiveDeriverOptions {
  readonly deriver: RangeDeriver
  readonly copier: RawCoverageCopier
  readonly readPlan: () => Promise<WorkPlan | undefined>
  /** Shared by all that derive in this thread. */
  readonly slow: SlowWorkers
  /** Told while there is something to derive. */
  readonly gate?: Pick<TipGate, "begin" | "end" | "moved">
  readonly clock: Clock
  readonly logger: Logger
  readonly random: Random
  readonly endBlock: number | undefined
  readonly leaseTtlMs: number
  readonly pollMs: number
  readonly mayClaim: () => boolean
  readonly onOutcome: (outcome: DeriveOutcome) => void
  /** Every worker has these blocks now. */
  readonly onDerived: (range: { readonly from: number; readonly to: number }) => void
}

/** How far below the tip it looks: what lies deeper is history. */
const tipBlocks = 64
const blocksPerLease = 8
/** With nothing new it is looked for what failed, or was reopened, only so often. */
const lookAgainMs = 1_000

export class LiveDeriver extends LoopingService {
  private readonly options: LiveDeriverOptions
  private seenEnd = 0
  /** The tip has moved while it was looked at. */
  private moves = false
  private idleAt = Number.NEGATIVE_INFINITY
  /** What is stored after this is left to the next turn. */
  private lookedAt = 0

  constructor(options: LiveDeriverOptions) {
    super({
      name: "live-deriver",
      clock: options.clock,
      logger: options.logger,
      random: options.random,
      intervalMs: options.pollMs,
      maxBackoffMs: 5_000,
    })
    this.options = options
  }

  /** Raw has something new. */
  override wake(): void {
    this.options.gate?.begin("tip")
    // Also where it ends as high as before: some of it may be new.
    this.idleAt = Number.NEGATIVE_INFINITY
    super.wake()
  }

  async runOnce(signal: AbortSignal): Promise<number | undefined> {
    this.lookedAt = this.clock.monotonic()
    try {
      return await this.lookAndDerive(signal)
    } finally {
      this.options.gate?.end("tip", this.lookedAt)
    }
  }

  private async lookAndDerive(signal: AbortSignal): Promise<undefined> {
    const { copier, readPlan, endBlock, mayClaim, gate } = this.options
    // Also while claims are paused: it is what others gate on.
    await copier.copy()
    if (!mayClaim()) return undefined
    const plan = await readPlan()
    if (!plan) return undefined
    const to = endBlock === undefined ? plan.rawEnd : Math.min(plan.rawEnd, endBlock + 1)
    if (to > this.seenEnd) {
      // Another process may have stored it, and nobody woke this one.
      gate?.begin("tip")
      this.lookedAt = this.clock.monotonic()
      if (this.seenEnd > 0) gate?.moved()
    }
    const isNew = to !== this.seenEnd
    // What was there when it began is caught up with in one piece: it costs half of what the same blocks cost one after the other.
    if (this.seenEnd > 0 && isNew) this.moves = true
    this.seenEnd = to
    const now = this.clock.monotonic()
    if (!isNew && now - this.idleAt < lookAgainMs) return undefined
    const region = { from: Math.max(plan.startHeight, to - tipBlocks), to }
    while (!signal.aborted && (await this.take(plan, region, signal)));
    return undefined
  }

  private async take(
    plan: WorkPlan,
    region: { from: number; to: number },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { deriver, slow, leaseTtlMs, onOutcome, onDerived } = this.options
    const members = plan.members.filter(({ workerType }) => !slow.has(workerType))
    const outcome = await deriver.deriveNext(
      {
        members,
        regions: [region],
        maxBlocks: this.moves ? blocksPerLease : tipBlocks,
        ttlMs: leaseTtlMs,
        order: "oldest",
      },
      signal,
    )
    onOutcome(outcome)
    if (outcome.kind === "idle") {
      this.idleAt = this.clock.monotonic()
      return false
    }
    if (outcome.kind === "done") {
      const { committed, dropped } = outcome.result
      if (members.length > 1) slow.learn(outcome.result)
      if (committed.length === plan.members.length) onDerived(outcome.range)
      for (const { fault } of dropped) if (fault) this.tell(fault)
      // Up to the end, by all: there is nothing more to look for, and history waits meanwhile.
      return outcome.range.to < region.to || committed.length < members.length
    }
    if (outcome.cause === "shutdown") return false
    if (!(outcome.error instanceof WorkerFault)) throw outcome.error
    this.tell(outcome.error)
    return true
  }

  private tell(fault: WorkerFault): void {
    this.logger.warn(
      { worker: fault.worker, height: fault.height, error: describeError(fault.cause) },
      "a worker failed at the tip",
    )
  }
}
