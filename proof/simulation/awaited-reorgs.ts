// Reorganisations that certainly cause a rollback: each waits until blocks of the head are stored and the rollback of
// the one before has ended. Those at fixed moments mostly meet a head that is not stored yet, or overlap.

import type { Committed } from "./model/model-database.js"
import { SimRandom } from "./sim-random.js"
import { coverageOf, traceEvent, type World } from "./world.js"

const soonMs = 300
/** A rollback that has not happened by then will not: raw went back to below the replaced blocks. */
const patienceMs = 2_500

export class AwaitedReorgs {
  private readonly world: World
  private readonly random: SimRandom
  private isComing = false
  /** Rollbacks before the last of them, and when that was. */
  private last = { rollbacks: -1, at: 0 }

  constructor(world: World) {
    this.world = world
    this.random = new SimRandom(world.plan.seed ^ 0x2f0b4c47)
  }

  /** Fewer rollbacks than planned, and none expected. */
  get isLeft(): boolean {
    const { plan, encounters } = this.world
    return encounters.rollbacks + (this.isAwaited ? 1 : 0) < plan.awaitedReorgs.length
  }

  onCommit(committed: Committed): void {
    const { plan, scheduler, startedAt, encounters, raw, healed } = this.world
    const next = plan.awaitedReorgs[encounters.rollbacks]
    if (!next || healed || this.isComing || committed.database !== raw) return
    if (scheduler.now < startedAt + next.at || this.isAwaited || committed.of("blocks").length === 0) return
    this.isComing = true
    scheduler.after(this.random.next() * soonMs, () => {
      this.isComing = false
      if (!this.world.healed) this.reorganize(next)
    })
  }

  private get isAwaited(): boolean {
    const { encounters, scheduler } = this.world
    return encounters.rollbacks === this.last.rollbacks && scheduler.now < this.last.at + patienceMs
  }

  private reorganize({ depth, grow }: { depth: number; grow: number }): void {
    const { chain, raw, scheduler, encounters } = this.world
    const stored = (coverageOf(raw, "raw_ingester").heights.at(-1)?.to ?? 0) - 1
    const isOpen = raw.table("raw.chain_state").rows.get("one")!.committed!["intent_id"] !== null
    if (isOpen || stored <= chain.finalizedHeight) return
    const reaching = Math.max(depth, chain.blocks.length - stored)
    traceEvent(this.world, `awaited reorganisation of ${reaching}`)
    chain.reorganize(reaching, reaching + grow)
    this.last = { rollbacks: encounters.rollbacks, at: scheduler.now }
  }
}
