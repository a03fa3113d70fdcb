// Faults that wait for a statement: its process is stopped, killed or delayed before it receives the answer.

import type { BlockRange } from "../../src/domain/block-range.js"
import { contains, type RangeSet } from "../../src/domain/range-set.js"
import type { ModelConnection } from "./model/model-connection.js"
import type { Committed } from "./model/model-database.js"
import type { Ambush, AmbushedStatement } from "./plan.js"
import type { SimHost } from "./sim-host.js"
import { SimRandom } from "./sim-random.js"
import { coverageOf, type World } from "./world.js"

const resumeMs = 600

export interface SentStatement {
  readonly kind: AmbushedStatement | undefined
  readonly params: readonly unknown[]
  readonly rowCount: number
  readonly connection: ModelConnection
}

interface Stalled {
  readonly host: SimHost
  readonly upstream: string
  readonly range: BlockRange
  isGone: boolean
}

export class Ambushes {
  private readonly world: World
  private readonly strike: (ambush: Ambush, host: SimHost) => void
  private readonly mend: (range: BlockRange) => boolean
  private readonly random: SimRandom
  private waiting: Ambush[] = []
  /** Frozen while they still hold their leases. */
  private frozen: SimHost[] = []
  /** Their delayed answers are about heights that are rolled back or reopened meanwhile. */
  private stalled: Stalled[] = []

  constructor(
    world: World,
    { strike, mend }: { strike: (ambush: Ambush, host: SimHost) => void; mend: (range: BlockRange) => boolean },
  ) {
    this.world = world
    this.strike = strike
    this.mend = mend
    this.random = new SimRandom(world.plan.seed ^ 0x51ed270b)
    for (const ambush of world.plan.ambushes) world.scheduler.after(ambush.at, () => void this.waiting.push(ambush))
  }

  onStatement(sent: SentStatement): void {
    if (this.waiting.length === 0 || sent.kind === undefined || this.world.healed) return
    for (const ambush of this.waiting) {
      if (ambush.on !== sent.kind || (sent.rowCount === 0 && sent.kind !== "write" && sent.kind !== "read")) continue
      if (ambush.fork && !this.fork(sent)) continue
      if (ambush.mend && !this.mendRead(sent)) continue
      this.waiting = this.waiting.filter((other) => other !== ambush)
      const host = sent.connection.host as SimHost
      this.world.strikes[sent.kind]++
      this.strike(ambush, host)
      if (ambush.act === "freeze") this.frozen.push(host)
      if (ambush.act === "stall") {
        const upstream = ambush.mend ? "sim_transfers" : "raw_ingester"
        this.stalled.push({ host, upstream, range: derivedRange(sent), isGone: false })
      }
      return
    }
  }

  /** A frozen process resumes soon after it lost a lease, which it does not know. */
  onCommit(committed: Committed): void {
    if (this.stalled.length > 0 && committed.database === this.world.app) this.deliverSoon(committed)
    if (this.frozen.length === 0) return
    for (const { before } of committed.of("worker_leases")) {
      if (before?.["status"] !== "ACTIVE") continue
      const host = this.frozen.find(({ name }) => name === before["leased_by"])
      if (!host) continue
      this.frozen = this.frozen.filter((other) => other !== host)
      this.world.scheduler.after(this.random.next() * resumeMs, () => host.resume({ frozen: true }))
    }
  }

  /** A delayed answer arrives soon after its heights were removed and restored. */
  private deliverSoon(committed: Committed): void {
    for (const { after } of committed.of("coverage")) {
      for (const one of this.stalled) {
        if (after?.["worker_type"] !== one.upstream) continue
        const isThere = contains(after["heights"] as RangeSet, one.range)
        if (isThere && one.isGone) {
          this.stalled = this.stalled.filter((other) => other !== one)
          this.world.scheduler.after(this.random.next() * resumeMs, () => one.host.letThrough())
        } else one.isGone = !isThere
      }
    }
  }

  /** Inside the range of the statement, if that is long enough and not final. Not for raw, which detects forks. */
  private fork(sent: SentStatement): boolean {
    const { chain, app } = this.world
    if (sent.connection.database !== app) return false
    const range = derivedRange(sent)
    const from = Math.max(range.from + 1, chain.finalizedHeight + 1)
    const { to } = range
    if (from >= to) return false
    const depth = chain.blocks.length - this.random.between(from, to - 1)
    return chain.reorganize(depth, depth + this.random.between(-1, 2)) > 0
  }

  /** Rows that are committed, some of them wrong. Rows of its own group are not committed yet. */
  private mendRead(sent: SentStatement): boolean {
    const range = derivedRange(sent)
    const { heights } = coverageOf(this.world.app, "sim_transfers")
    return contains(heights, range) && this.mend(range)
  }
}

function derivedRange({ kind, params }: SentStatement): BlockRange {
  if (kind !== "claim") return { from: params[0] as number, to: params[1] as number }
  return { from: (params[1] as number[])[0]!, to: (params[2] as number[])[0]! }
}
