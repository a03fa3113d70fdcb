// Derives the tip: as soon as app knows that raw has a block, for all workers at once, in one transaction. Woken by what copies raw's
// coverage in this process, and looks a few times a second. What fails here is a lease like any other, retried until it is done. A worker that
// is slow is left to history's lanes, so that the others' blocks do not wait for it.

import { WorkerFault } from "../coordination/worker-fault.js"
import type { BlockRange } from "../domain/block-range.js"
import type { Clock } from "../platform/clock.js"
import { describeError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import type { Random } from "../platform/random.js"
import type { TipGate } from "../platform/tip-gate.js"
import type { DeriveOutcome, DeriveTurn, RangeDeriver } from "./range-deriver.js"
import type { SlowWorkers } from "./slow-workers.js"
import type { WorkPlan } from "./work-plan.js"

export interface LiveDeriverOptions {
  readonly deriver: RangeDeriver
  readonly readPlan: () => Promise<WorkPlan | undefined>
  /** The tip's own: the lanes that such workers are left to are in other threads. */
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
  /** Every worker that is not slow has these blocks now. */
  readonly onDerived: (range: BlockRange) => void
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

  /** There is something new, and app knows of it. */
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
    const { readPlan, endBlock, mayClaim, gate } = this.options
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
    while (!signal.aborted && (await this.takeAll(plan, region, signal)));
    await this.trySlow(plan, region, signal)
    return undefined
  }

  /** For all who are quick. True while there may be more. */
  private async takeAll({ members }: WorkPlan, region: BlockRange, signal: AbortSignal): Promise<boolean> {
    const { slow, onDerived } = this.options
    const quick = members.filter(({ workerType }) => !slow.has(workerType))
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
        // Up to the end, by all: there is nothing more to look for, and history waits meanwhile.
        return outcome.range.to < region.to || committed.length < quick.length
      }
    }
  }

  /** Who was slow a minute ago may be quick now. One block, when the others have theirs: it can make the next one wait for no more than that. */
  private async trySlow({ members }: WorkPlan, region: BlockRange, signal: AbortSignal): Promise<void> {
    const { slow } = this.options
    for (const member of members) {
      if (signal.aborted || !slow.isDue(member.workerType)) continue
      const outcome = await this.take({ members: [member], region, maxBlocks: 1, order: "newest" }, signal)
      if (outcome.kind === "done") slow.learn(outcome.result)
    }
  }

  /** Throws what is no worker's fault. */
  private async take(
    { region, ...turn }: Pick<DeriveTurn, "members" | "maxBlocks" | "order"> & { region: BlockRange },
    signal: AbortSignal,
  ): Promise<DeriveOutcome> {
    const { deriver, leaseTtlMs, onOutcome } = this.options
    const outcome = await deriver.deriveNext({ ...turn, regions: [region], ttlMs: leaseTtlMs }, signal)
    onOutcome(outcome)
    if (outcome.kind === "done") {
      for (const { fault } of outcome.result.dropped) if (fault) this.tell(fault)
    } else if (outcome.kind === "failed" && outcome.cause !== "shutdown") {
      if (!(outcome.error instanceof WorkerFault)) throw outcome.error
      this.tell(outcome.error)
    }
    return outcome
  }

  private tell(fault: WorkerFault): void {
    this.logger.warn(
      { worker: fault.worker, height: fault.height, error: describeError(fault.cause) },
      "a worker failed at the tip",
    )
  }
}
