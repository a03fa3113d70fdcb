// Faults that wait for a statement: whoever sent it is stopped or killed before it hears the answer.

import type { ModelConnection } from "./model/model-connection.js"
import type { Committed } from "./model/model-database.js"
import type { Ambush } from "./plan.js"
import type { SimHost } from "./sim-host.js"
import { SimRandom } from "./sim-random.js"
import type { StatementKind } from "./statement-kinds.js"
import type { World } from "./world.js"

const comeBackMs = 600

export interface SentStatement {
  readonly kind: StatementKind | undefined
  readonly params: readonly unknown[]
  readonly rowCount: number
  readonly connection: ModelConnection
}

export class Ambushes {
  private readonly world: World
  private readonly strike: (ambush: Ambush, host: SimHost) => void
  private readonly random: SimRandom
  private waiting: Ambush[] = []
  /** Frozen, and their leases are still theirs. */
  private frozen: SimHost[] = []

  constructor(world: World, { strike }: { strike: (ambush: Ambush, host: SimHost) => void }) {
    this.world = world
    this.strike = strike
    this.random = new SimRandom(world.plan.seed ^ 0x51ed270b)
    for (const ambush of world.plan.ambushes)
      world.scheduler.after(ambush.at, () => void this.waiting.push(ambush))
  }

  onStatement(sent: SentStatement): void {
    if (this.waiting.length === 0 || sent.kind === undefined || this.world.healed) return
    for (const ambush of this.waiting) {
      if (ambush.on !== sent.kind || (sent.rowCount === 0 && sent.kind !== "write")) continue
      if (ambush.fork && !this.fork(sent)) continue
      this.waiting = this.waiting.filter((other) => other !== ambush)
      const host = sent.connection.host as SimHost
      this.strike(ambush, host)
      if (ambush.act === "freeze") this.frozen.push(host)
      return
    }
  }

  /** Whoever is frozen comes back soon after it lost a lease that it cannot know to be lost. */
  onCommit(committed: Committed): void {
    if (this.frozen.length === 0) return
    for (const { before } of committed.of("worker_leases")) {
      if (before?.["status"] !== "ACTIVE") continue
      const host = this.frozen.find(({ name }) => name === before["leased_by"])
      if (!host) continue
      this.frozen = this.frozen.filter((other) => other !== host)
      this.world.scheduler.after(this.random.next() * comeBackMs, () => host.resume({ frozen: true }))
    }
  }

  /** Inside the range that was claimed to be derived, if it is long enough and not final. Whoever claims for raw may be the one who would find out. */
  private fork({ params, connection }: SentStatement): boolean {
    const { chain, app } = this.world
    if (connection.database !== app) return false
    const from = Math.max((params[1] as number[])[0]! + 1, chain.finalizedHeight + 1)
    const to = (params[2] as number[])[0]!
    if (from >= to) return false
    const depth = chain.blocks.length - this.random.between(from, to - 1)
    return chain.reorganize(depth, depth + this.random.between(-1, 2)) > 0
  }
}
