// How far an answer is complete, read in the snapshot of its rows: what all required workers have covered, and what is
// missing up to the head. Rows outside it are never shown.

import type { BlockRange } from "../domain/block-range.js"
import { intersect, type RangeSet, rangeSet, subtract, union, watermarkEnd } from "../domain/range-set.js"
import { parseMultirange } from "../postgres/multirange.js"
import { heightFrom } from "../postgres/postgres-error.js"
import type { Queryable } from "../postgres/transaction.js"

export type Store = "raw" | "app"

export interface AnswerScope {
  readonly epoch: number
  readonly start: number
  /** Heights whose rows all required workers have. */
  readonly covered: RangeSet
  /** Covered, and what a person skipped. */
  readonly done: RangeSet
  /** Inclusive; null while the first block is missing. */
  readonly watermark: number | null
  /** False: a required worker never ran here, so its tables may not exist. */
  readonly isKnown: boolean
  /** All required workers have the same heights, so that the rows of one match the sums of another. */
  readonly isEven: boolean
}

/** One statement for each schema: its tables are the same but for their schema. */
const scopeSql: Readonly<Record<Store, string>> = {
  raw: `select chain_epoch, start_height,
    (select jsonb_object_agg(worker_type, jsonb_build_array(heights::text, skipped::text)) from raw.coverage
     where worker_type = any($1)) as workers from raw.chain_state`,
  app: `select chain_epoch, start_height,
    (select jsonb_object_agg(worker_type, jsonb_build_array(heights::text, skipped::text)) from app.coverage
     where worker_type = any($1)) as workers from app.chain_state`,
}

/** Undefined until the store belongs to a chain. */
export async function readScope(
  tx: Queryable,
  { store, workers }: { store: Store; workers: readonly string[] },
): Promise<AnswerScope | undefined> {
  const {
    rows: [row],
  } = await tx.query<{
    chain_epoch: string
    start_height: string
    workers: Record<string, [string, string]> | null
  }>(scopeSql[store], [workers])
  if (!row) return undefined
  const rows = workers.map((name) => row.workers?.[name])
  const sets = rows.map((one) => {
    const covered = one ? parseMultirange(one[0]) : []
    return { covered, done: one ? union(covered, parseMultirange(one[1])) : [] }
  })
  const start = heightFrom(row.start_height)
  const covered = sets.map((set) => set.covered).reduce(intersect)
  const done = sets.map((set) => set.done).reduce(intersect)
  return {
    epoch: Number(row.chain_epoch),
    ...{ start, covered, done },
    watermark: watermarkOf(start, done),
    isKnown: rows.every((one) => one !== undefined),
    isEven: rows.every((one) => one?.[0] === rows[0]?.[0]),
  }
}

const watermarkOf = (start: number, done: RangeSet): number | null => {
  const end = watermarkEnd(done, start)
  return end > start ? end - 1 : null
}

/** As if nothing else were covered. */
export function scopeWithin(scope: AnswerScope, heights: RangeSet): AnswerScope {
  const done = intersect(scope.done, heights)
  return { ...scope, covered: intersect(scope.covered, heights), done, watermark: watermarkOf(scope.start, done) }
}

export interface AnswerMeta {
  readonly chain: string
  readonly data_watermark: string | null
  readonly coverage: readonly RangeJson[]
  readonly gaps: readonly RangeJson[]
  readonly partial: boolean
  readonly required_workers: readonly string[]
  readonly next_cursor: string | null
  readonly total?: string
}

interface RangeJson {
  readonly from: string
  readonly to: string
}

export const rangesJson = (set: RangeSet): RangeJson[] =>
  set.map(({ from, to }) => ({ from: String(from), to: String(to) }))

/** What the answer is about: the asked heights between the start and the head. */
export function askedHeights(
  scope: AnswerScope,
  { from, to, head }: { from?: number | undefined; to?: number | undefined; head: number | null },
): BlockRange {
  const end = Math.max(scope.covered.at(-1)?.to ?? scope.start, head === null ? 0 : head + 1)
  const low = Math.max(scope.start, from ?? scope.start)
  return { from: low, to: Math.max(low, Math.min(end, to ?? end)) }
}

export function scopeMeta(scope: AnswerScope, asked: BlockRange) {
  const range = rangeSet([asked])
  const gaps = subtract(range, scope.covered)
  return {
    data_watermark: scope.watermark === null ? null : String(scope.watermark),
    coverage: rangesJson(intersect(scope.covered, range)),
    gaps: rangesJson(gaps),
    partial: gaps.length > 0,
  }
}
