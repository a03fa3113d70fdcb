// Counts the situations of a seed that the protocol exists for.

import { type BlockRange, rangesOverlap } from "../../src/domain/block-range.js"
import { intersect, type RangeSet, subtract, union, watermarkEnd } from "../../src/domain/range-set.js"
import type { SentStatement } from "./ambushes.js"
import type { Committed } from "./model/model-database.js"
import { type Reopened, reopenedBy } from "./reopened.js"
import { leaseRange, unfinishedLeases, type World } from "./world.js"

const folds = ["sim_holdings", "sim_totals"]

export class EncounterCounter {
  private readonly world: World
  private intentBy: string | undefined
  /** Ranges that a fold did before lower ones. */
  private readonly outOfOrder = new Map<string, RangeSet>()

  constructor(world: World) {
    this.world = world
  }

  onStatement({ kind, params, rowCount }: SentStatement): void {
    if (kind === "complete" && rowCount < (params[0] as unknown[]).length) this.world.encounters.fenceRefused++
  }

  onCommit(committed: Committed): void {
    const { database, connection } = committed
    const { encounters, raw } = this.world
    for (const { after: rollback } of committed.of("rollbacks")) {
      if (!rollback) continue
      for (const { before, after } of committed.of("worker_leases"))
        if (before && after && straddles(leaseRange(before), rollback["removed"] as BlockRange))
          encounters.straddlingRollback++
    }
    if (database === raw) {
      for (const { before, after } of committed.of("chain_state")) {
        if (before?.["intent_id"] === null && after?.["intent_id"] !== null) this.intentBy = connection.host.name
        else if (before?.["intent_id"] !== null && after?.["intent_id"] === null) {
          if (committed.of("rollbacks").some(({ after }) => isCancelled(after))) encounters.rollbacksCancelled++
          else encounters.rollbacks++
          if (this.intentBy !== connection.host.name) encounters.intentFinishedByAnother++
        }
      }
      return
    }
    for (const { before, after } of committed.of("coverage")) if (before && after) this.onCoverage(before, after)
    for (const one of reopenedBy(committed)) if (this.isHeld(one, committed)) encounters.reopenedWhileRead++
  }

  /** Leases as they were before the commit. */
  private isHeld({ workers, heights }: Reopened, committed: Committed): boolean {
    const changed = committed.of("worker_leases").flatMap(({ before }) => (before ? [before] : []))
    return [...changed, ...unfinishedLeases(this.world.app)].some(
      (lease) =>
        lease["status"] === "ACTIVE" &&
        workers.includes(lease["worker_type"] as string) &&
        intersect([leaseRange(lease)], heights).length > 0,
    )
  }

  private onCoverage(before: Record<string, unknown>, after: Record<string, unknown>): void {
    const worker = after["worker_type"] as string
    if (!folds.includes(worker)) return
    const [was, is] = [before["heights"] as RangeSet, after["heights"] as RangeSet]
    const known = this.outOfOrder.get(worker) ?? []
    const lost = subtract(was, is)
    if (intersect(lost, known).length > 0) this.world.encounters.outOfOrderFoldUndone++
    const early = subtract(is, was).filter(({ from }) => from > watermarkEnd(was, 0))
    this.outOfOrder.set(worker, union(subtract(known, lost), early))
  }
}

const isCancelled = (rollback: Record<string, unknown> | undefined | null): boolean => {
  const removed = rollback?.["removed"] as BlockRange | undefined
  return removed !== undefined && removed.from >= removed.to
}

const straddles = (lease: BlockRange, removed: BlockRange): boolean =>
  rangesOverlap(lease, removed) && lease.from < removed.from
