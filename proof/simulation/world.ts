// Everything that a checker may read, and where it reports what it found.

import { type RangeSet, subtract, union } from "../../src/domain/range-set.js"
import type { Committed, ModelDatabase } from "./model/model-database.js"
import type { Values } from "./model/model-table.js"
import type { AmbushedStatement, Plan } from "./plan.js"
import type { Scheduler } from "./scheduler.js"
import type { SimChain } from "./sim-chain.js"

export interface Violation {
  readonly invariant: string
  readonly message: string
  /** Virtual milliseconds since the start. */
  readonly atMs: number
}

/** What must happen in some seeds, or the simulation proves little. */
export interface Encounters {
  fenceRefused: number
  straddlingRollback: number
  intentFinishedByAnother: number
  outOfOrderFoldUndone: number
  reopenedWhileRead: number
  rollbacks: number
  rollbacksCancelled: number
  crashes: number
  outages: number
}

/** How often an ambush struck, by the statement it had waited for. */
export type Strikes = Record<AmbushedStatement, number>

export interface World {
  readonly plan: Plan
  readonly scheduler: Scheduler
  readonly startedAt: number
  readonly raw: ModelDatabase
  readonly app: ModelDatabase
  readonly chain: SimChain
  readonly encounters: Encounters
  readonly strikes: Strikes
  /** From the return of a database to a backup until both agree again. Derived rows may not fit raw meanwhile. */
  wentBack: boolean
  healed: boolean
  healedAt: number
  violation: Violation | undefined
  readonly trace: ((line: string) => void) | undefined
  fail(invariant: string, message: string): undefined
}

export function traceEvent({ trace, scheduler, startedAt }: World, what: string): void {
  trace?.(`--- ${Math.round(scheduler.now - startedAt)} ms: ${what}`)
}

export interface Checker {
  readonly invariant: string
  onCommit?(world: World, committed: Committed): void
  /** At moments that the seed draws. */
  sample?(world: World): void
  /** After all faults have ended and all work is done. */
  atEnd?(world: World): void
}

export function coverageOf(database: ModelDatabase, worker: string): { heights: RangeSet; skipped: RangeSet } {
  const row = database.table(database.name === "raw" ? "raw.coverage" : "app.coverage").rows.get(worker)!.committed!
  return { heights: row["heights"] as RangeSet, skipped: row["skipped"] as RangeSet }
}

/** After a database went back: both know the same rollbacks, and app covers no more than raw. */
export function haveAgreed({ raw, app }: World): boolean {
  const ids = (database: ModelDatabase): string =>
    [...database.table(`${database.name}.rollbacks`).committed()]
      .map(({ id }) => id)
      .sort()
      .join()
  const { intent_id, chain_epoch, compared_server } = raw.table("raw.chain_state").rows.get("one")!.committed!
  const known = app.table("app.chain_state").rows.get("one")!.committed!
  const [copy, own] = [coverageOf(app, "raw_ingester"), coverageOf(raw, "raw_ingester")]
  return (
    intent_id === null &&
    Number(compared_server) === raw.startedAt &&
    Number(known["chain_epoch"]) >= Number(chain_epoch) &&
    subtract(union(copy.heights, copy.skipped), union(own.heights, own.skipped)).length === 0 &&
    ids(raw) === ids(app)
  )
}

export function* unfinishedLeases(database: ModelDatabase): Generator<Values> {
  for (const { committed } of database.table(database.name === "raw" ? "raw.worker_leases" : "app.worker_leases").hot)
    if (committed && committed["status"] !== "COMPLETED") yield committed
}

export const leaseRange = (lease: Values): { from: number; to: number } => ({
  from: lease["from_height"] as number,
  to: lease["to_height"] as number,
})
