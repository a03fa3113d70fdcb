// Derives history, one range after the other, for all workers that have it to do; a worker that proved slow goes on by itself, in
// turns with the others.

import type { ClaimMember } from "../coordination/lease-store.js"
import { WorkerFault } from "../coordination/worker-fault.js"
import type { BlockRange } from "../domain/block-range.js"
import type { Clock } from "../platform/clock.js"
import { describeError } from "../platform/errors.js"
import type { Logger } from "../platform/logger.js"
import { LoopingService } from "../platform/looping-service.js"
import type { Random } from "../platform/random.js"
import { Pace } from "./pace.js"
import type { DeriveOutcome, RangeDeriver } from "./range-deriver.js"
import { SettledTip } from "./settled-tip.js"
import { type SlowWorkers, workingMs } from "./slow-workers.js"
import type { WorkPlan } from "./work-plan.js"

export interface WorkLaneOptions {
  readonly deriver: RangeDeriver
  readonly readPlan: () => Promise<WorkPlan | undefined>
  /** Shared by the lanes of a thread. */
  readonly slow: SlowWorkers
  readonly clock: Clock
  readonly logger: Logger
  readonly random: Random
  readonly order: "oldest" | "newest"
  readonly endBlock: number | undefined
  readonly rangeSize: number
  readonly leaseTtlMs: number
  readonly idleMs: number
  readonly mayClaim: () => boolean
  /** Whether this process derives a tip that moves. Of others it learns when one had to wait. */
  readonly tipIsLive: () => boolean
  readonly onOutcome: (outcome: DeriveOutcome) => void
}

const settleMs = 2_000
const foldMs = 2_000
const foldMsBesideTip = 100
const totalMs = 8_000
/** A tip that had to wait is taken to be there for this long. */
const besideTipMs = 600_000

export class WorkLane extends LoopingService {
  private readonly options: WorkLaneOptions
  private readonly tip = new SettledTip({ settleMs })
  private readonly paces = new Map<string, Pace>()
  /** What the slow ones took in their last turns; the others get as much before it is theirs again. */
  private owedMs = 0
  private tipWaitedAt = Number.NEGATIVE_INFINITY
  private firstRawEnd: number | undefined
  private rawGrows = false

  constructor(options: WorkLaneOptions) {
    super({
      name: "work-lane",
      clock: options.clock,
      logger: options.logger,
      random: options.random,
      intervalMs: options.idleMs,
    })
    this.options = options
  }

  async runOnce(signal: AbortSignal): Promise<number | undefined> {
    if (!this.options.mayClaim()) return undefined
    const plan = await this.options.readPlan()
    if (!plan) return undefined
    this.firstRawEnd ??= plan.rawEnd
    this.rawGrows ||= plan.rawEnd !== this.firstRawEnd
    const now = this.clock.monotonic()
    const region = this.region(plan, now)
    const { together, apart } = this.groups(plan)
    let isBusy = false
    while (together.length > 0 && !signal.aborted && (await this.take(together, region, signal))) {
      isBusy = true
      if (this.clock.monotonic() - now >= this.owedMs) break
    }
    const turned = this.clock.monotonic()
    for (const member of apart) {
      if (signal.aborted) break
      if (await this.take([member], region, signal)) isBusy = true
    }
    this.owedMs = this.clock.monotonic() - turned
    return isBusy ? 0 : undefined
  }

  private region({ startHeight, rawEnd }: WorkPlan, now: number): BlockRange {
    const { endBlock } = this.options
    const end = this.tip.see(rawEnd, now)
    return { from: startHeight, to: endBlock === undefined ? end : Math.min(end, endBlock + 1) }
  }

  private groups({ members }: WorkPlan): {
    readonly together: readonly ClaimMember[]
    readonly apart: readonly ClaimMember[]
  } {
    const { slow } = this.options
    const isApart = ({ workerType }: ClaimMember): boolean => slow.has(workerType) && !slow.isDue(workerType)
    return {
      together: members.filter((member) => !isApart(member)),
      apart: members.filter(isApart),
    }
  }

  private async take(members: readonly ClaimMember[], region: BlockRange, signal: AbortSignal): Promise<boolean> {
    const { deriver, leaseTtlMs, order, slow } = this.options
    const pace = this.paceOf(members)
    const outcome = await deriver.deriveNext(
      { members, regions: [region], maxBlocks: pace.blocks, ttlMs: leaseTtlMs, order },
      signal,
    )
    this.options.onOutcome(outcome)
    switch (outcome.kind) {
      case "idle":
        return false
      case "done": {
        const { totals, dropped } = outcome.result
        const blocks = outcome.range.to - outcome.range.from
        const now = this.clock.monotonic()
        // Where raw does not grow, what waits is the end of history, not somebody who wants to see the newest block.
        if (totals.heldUpTip && this.rawGrows) this.tipWaitedAt = now
        const besideTip = this.options.tipIsLive() || now - this.tipWaitedAt < besideTipMs
        pace.learn({ blocks, foldMs: totals.foldMs, totalMs: workingMs(totals), besideTip })
        if (members.length > 1) slow.learn(outcome.result)
        for (const { fault } of dropped) if (fault) this.tell(fault)
        return true
      }
      case "failed":
        if (outcome.cause === "shutdown") return false
        if (outcome.error instanceof WorkerFault) {
          this.tell(outcome.error)
          return true
        }
        // The database is away, or the chain moved: the next range would fare no better, so the loop backs off.
        throw outcome.error
    }
  }

  private tell(fault: WorkerFault): void {
    this.logger.warn(
      { worker: fault.worker, height: fault.height, error: describeError(fault.cause) },
      "a worker failed on a range",
    )
  }

  private paceOf(members: readonly ClaimMember[]): Pace {
    const key = members.length === 1 ? members[0]!.workerType : ""
    const known = this.paces.get(key)
    if (known) return known
    const pace = new Pace({ maxBlocks: this.options.rangeSize, foldMs, foldMsBesideTip, totalMs })
    this.paces.set(key, pace)
    return pace
  }
}
