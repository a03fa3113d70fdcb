// Derives history, one range after the other, for all workers that have work there. A slow worker gets ranges of its own,
// alternating with the others.

import type { LaneOptions } from "../coordination/lane-options.js"
import type { ClaimMember } from "../coordination/lease-store.js"
import type { BlockRange } from "../domain/block-range.js"
import { LoopingService } from "../platform/looping-service.js"
import { Pace } from "./pace.js"
import { type DeriveOutcome, faultsOf, type RangeDeriver } from "./range-deriver.js"
import { SettledTip } from "./settled-tip.js"
import { type SlowWorkers, workingMs } from "./slow-workers.js"
import type { WorkPlan } from "./work-plan.js"

export interface WorkLaneOptions extends Omit<LaneOptions<DeriveOutcome>, "intervalMs"> {
  readonly deriver: RangeDeriver
  readonly readPlan: () => Promise<WorkPlan | undefined>
  /** Shared by the lanes of a thread. */
  readonly slow: SlowWorkers
  readonly order: "oldest" | "newest"
  readonly rangeSize: number
  readonly idleMs: number
  /** Whether this process derives a moving tip. That of another process is noticed when it has to wait. */
  readonly tipIsLive: () => boolean
}

const settleMs = 2_000
const foldMs = 2_000
const foldMsBesideTip = 100
const totalMs = 8_000
/** A tip that had to wait counts as moving for this long. */
const besideTipMs = 600_000

export class WorkLane extends LoopingService {
  private readonly tip = new SettledTip({ settleMs })
  private readonly paces = new Map<string, Pace>()
  /** What the slow workers took in the last round; the others get as much time before the next. */
  private owedMs = 0
  private tipWaitedAt = Number.NEGATIVE_INFINITY
  private firstRawEnd: number | undefined
  private rawGrows = false

  constructor(private readonly options: WorkLaneOptions) {
    super({ ...options, name: "work-lane", intervalMs: options.idleMs })
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
    const began = this.clock.monotonic()
    for (const member of apart) {
      if (signal.aborted) break
      if (await this.take([member], region, signal)) isBusy = true
    }
    this.owedMs = this.clock.monotonic() - began
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
    const isApart = ({ worker }: ClaimMember): boolean => slow.has(worker) && !slow.isDue(worker)
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
    for (const fault of faultsOf(outcome)) this.logger.warn(fault, "a worker failed on a range")
    if (outcome.kind === "idle") return false
    // A bug may be in every range, so the next one follows after the interval.
    if (outcome.kind === "failed") return outcome.cause === "failure"
    const { totals } = outcome.result
    const blocks = outcome.range.to - outcome.range.from
    const now = this.clock.monotonic()
    // While raw does not grow, what waits is the end of history, not a new block.
    if (totals.heldUpTip && this.rawGrows) this.tipWaitedAt = now
    const besideTip = this.options.tipIsLive() || now - this.tipWaitedAt < besideTipMs
    pace.learn({ blocks, foldMs: totals.foldMs, totalMs: workingMs(totals), besideTip })
    if (members.length > 1) slow.learn(outcome.result)
    return true
  }

  private paceOf(members: readonly ClaimMember[]): Pace {
    const key = members.length === 1 ? members[0]!.worker : ""
    const known = this.paces.get(key)
    if (known) return known
    const pace = new Pace({ maxBlocks: this.options.rangeSize, foldMs, foldMsBesideTip, totalMs })
    this.paces.set(key, pace)
    return pace
  }
}
