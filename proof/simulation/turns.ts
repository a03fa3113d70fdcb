// Reorganisations that are sure to be noticed: they wait until blocks of the head are stored, and the next one until the rollback of the one
// before is over. Those that come at moments of their own mostly meet a head that nobody has stored yet, or run into one another.

import type { Committed } from "./model/model-database.js"
import { SimRandom } from "./sim-random.js"
import { coverageOf, type World } from "./world.js"

const soonMs = 300
/** After which a rollback that has not come is taken to be none: raw went back behind the blocks that were replaced. */
const patienceMs = 2_500

export class Turns {
  private readonly world: World
  private readonly trace: ((line: string) => void) | undefined
  private readonly random: SimRandom
  private isComing = false
  /** Rollbacks before the last turn, and when that was. */
  private last = { rollbacks: -1, at: 0 }

  constructor(world: World, { trace }: { trace: ((line: string) => void) | undefined }) {
    this.world = world
    this.trace = trace
    this.random = new SimRandom(world.plan.seed ^ 0x2f0b4c47)
  }

  /** Fewer rollbacks than there should be, and none on its way. */
  get isLeft(): boolean {
    const { plan, encounters } = this.world
    return encounters.rollbacks + (this.isAwaited ? 1 : 0) < (plan.turns?.length ?? 0)
  }

  onCommit(committed: Committed): void {
    const { plan, scheduler, startedAt, encounters, raw, healed } = this.world
    const next = plan.turns?.[encounters.rollbacks]
    if (!next || healed || this.isComing || committed.database !== raw) return
    if (scheduler.now < startedAt + next.at || this.isAwaited || committed.of("blocks").length === 0) return
    this.isComing = true
    scheduler.after(this.random.next() * soonMs, () => {
      this.isComing = false
      if (!this.world.healed) this.turn(next)
    })
  }

  private get isAwaited(): boolean {
    const { encounters, scheduler } = this.world
    return encounters.rollbacks === this.last.rollbacks && scheduler.now < this.last.at + patienceMs
  }

  private turn({ depth, grow }: { depth: number; grow: number }): void {
    const { chain, raw, scheduler, startedAt, encounters } = this.world
    const stored = (coverageOf(raw, "raw_ingester").heights.at(-1)?.to ?? 0) - 1
    const isOpen = raw.table("raw.chain_state").rows.get("one")!.committed!["intent_id"] !== null
    if (isOpen || stored <= chain.finalizedHeight) return
    const reaching = Math.max(depth, chain.blocks.length - stored)
    this.trace?.(`--- ${Math.round(scheduler.now - startedAt)} ms: the chain turns, ${reaching} blocks deep`)
    chain.reorganize(reaching, reaching + grow)
    this.last = { rollbacks: encounters.rollbacks, at: scheduler.now }
  }
}
