// What each worker covers of a stretch, in buckets: their cost is the same at any zoom, and the worst state of a bucket
// wins, so that a single dead block is always visible.

import type { BlockRange } from "../domain/block-range.js"
import { intersect, type RangeSet, rangeSet, union, watermarkEnd } from "../domain/range-set.js"
import { parseMultirange } from "../postgres/multirange.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"
import type { Store } from "./answer-scope.js"
import { RequestError } from "./request-error.js"
import type { ServedChain } from "./served-chain.js"

/** From the worst to the best. */
export const bucketStates = ["dead", "failed", "missing", "active", "skipped", "done"] as const
export type BucketState = (typeof bucketStates)[number]

export interface WorkerCoverage {
  readonly worker: string
  readonly store: Store
  readonly covered: RangeSet
  readonly skipped: RangeSet
  readonly leases: readonly { readonly status: string; readonly range: BlockRange }[]
}

interface StoreCoverage {
  readonly epoch: number
  readonly start: number
  readonly workers: readonly WorkerCoverage[]
}

const stateSql: Readonly<Record<Store, string>> = {
  raw: "select chain_epoch, start_height from raw.chain_state",
  app: "select chain_epoch, start_height from app.chain_state",
}
const coverageSql: Readonly<Record<Store, string>> = {
  raw: "select worker_type, heights::text, skipped::text from raw.coverage order by worker_type",
  // App's copy of the raw ingester's row is a hint for claims.
  app: `select worker_type, heights::text, skipped::text from app.coverage
    where worker_type in (select name from app.workers) order by worker_type`,
}
const leasesSql: Readonly<Record<Store, string>> = {
  raw: `select worker_type, from_height, to_height, status from raw.worker_leases where status <> 'COMPLETED'`,
  app: `select worker_type, from_height, to_height, status from app.worker_leases where status <> 'COMPLETED'`,
}

async function readStore(tx: Queryable, store: Store): Promise<StoreCoverage | undefined> {
  const { rows: states } = await tx.query<{ chain_epoch: string; start_height: string }>(stateSql[store])
  const { rows } = await tx.query<{ worker_type: string; heights: string; skipped: string }>(coverageSql[store])
  const { rows: leases } = await tx.query<{
    worker_type: string
    from_height: string
    to_height: string
    status: string
  }>(leasesSql[store])
  const [state] = states
  if (!state) return undefined
  return {
    epoch: Number(state.chain_epoch),
    start: heightFrom(state.start_height),
    workers: rows.map(({ worker_type: worker, heights, skipped }) => ({
      ...{ worker, store },
      covered: parseMultirange(heights),
      skipped: parseMultirange(skipped),
      leases: leases
        .filter((lease) => lease.worker_type === worker)
        .map(({ status, from_height, to_height }) => ({
          status,
          range: { from: heightFrom(from_height), to: heightFrom(to_height) },
        })),
    })),
  }
}

const tries = 20
const againMs = 100

/** Both databases at the same chain epoch: they have no common snapshot, so it is read again until they agree. */
export async function readCoverage(chain: ServedChain): Promise<StoreCoverage> {
  for (let attempt = 0; attempt < tries; attempt++) {
    const raw = await chain.read("raw", (tx) => readStore(tx, "raw"))
    const app = await chain.read("app", (tx) => readStore(tx, "app"))
    if (!raw) throw new RequestError("NOT_FOUND", `the store of ${chain.name} is empty`)
    if (!app || app.epoch === raw.epoch) return { ...raw, workers: [...raw.workers, ...(app?.workers ?? [])] }
    await chain.clock.sleep(againMs)
  }
  throw new RequestError("ROLLBACK_IN_PROGRESS", "a rollback is being finished: ask again")
}

export const workerWatermark = (start: number, { covered, skipped }: WorkerCoverage): number | null => {
  const end = watermarkEnd(union(covered, skipped), start)
  return end > start ? end - 1 : null
}

export function bucketsOf(asked: BlockRange, count: number, worker: WorkerCoverage) {
  const heights = asked.to - asked.from
  const buckets = Math.min(count, heights)
  const ranges = Array.from({ length: buckets }, (_, at) => ({
    from: asked.from + Math.floor((heights * at) / buckets),
    to: asked.from + Math.floor((heights * (at + 1)) / buckets),
  }))
  // Each set is walked once: a store may have very many ranges.
  const within = (set: RangeSet): Float64Array => {
    const sums = new Float64Array(buckets)
    let at = 0
    for (const { from, to } of intersect(set, ranges)) {
      while (ranges[at]!.to <= from) at++
      sums[at]! += to - from
    }
    return sums
  }
  const leased = (status: string): Float64Array =>
    within(rangeSet(worker.leases.filter((lease) => lease.status === status).map(({ range }) => range)))
  const [covered, skipped] = [within(worker.covered), within(worker.skipped)]
  const [active, failed, dead] = [leased("ACTIVE"), leased("FAILED"), leased("DEAD")]
  const stateOf = (at: number, { from, to }: BlockRange): BucketState => {
    if (dead[at]) return "dead"
    if (failed[at]) return "failed"
    const done = covered[at]! + skipped[at]!
    if (done === to - from) return skipped[at] ? "skipped" : "done"
    return done + active[at]! === to - from ? "active" : "missing"
  }
  return ranges.map((range, at) => ({ from: String(range.from), to: String(range.to), state: stateOf(at, range) }))
}
