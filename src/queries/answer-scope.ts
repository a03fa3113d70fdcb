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

/**
 * An expression that is the scope as one text, null until the store belongs to a chain; `workers` is a parameter. The same
 * text is the same scope. Neither names nor multiranges have a space or a bar.
 */
export const scopeSql = (store: Store, workers: string): string =>
  `(select concat_ws('|', chain_epoch, start_height, (
    select string_agg(concat_ws(' ', worker_type, heights, skipped), '|' order by worker_type) from ${store}.coverage
    where worker_type = any(${workers}::text[]))) from ${store}.chain_state)`
const readScopeSql = {
  raw: `select ${scopeSql("raw", "$1")} as scope`,
  app: `select ${scopeSql("app", "$1")} as scope`,
} as const

/** Undefined until the store belongs to a chain. */
export async function readScope(
  tx: Queryable,
  { store, workers }: { store: Store; workers: readonly string[] },
): Promise<AnswerScope | undefined> {
  const text = await readScopeText(tx, { store, workers })
  return text === null ? undefined : parseScope(text, workers)
}

export async function readScopeText(
  tx: Queryable,
  { store, workers }: { store: Store; workers: readonly string[] },
  { isLast = false } = {},
): Promise<string | null> {
  const { rows } = await tx.query<{ scope: string | null }>(readScopeSql[store], [workers], { isLast })
  return rows[0]!.scope
}

/** Of a text that `scopeSql` made for these workers. */
export function parseScope(text: string, workers: readonly string[]): AnswerScope {
  const [epoch, first, ...lines] = text.split("|") as [string, string, ...string[]]
  const byName = new Map(
    lines.map((line) => {
      const [name, heights, skipped] = line.split(" ") as [string, string, string]
      return [name, [heights, skipped] as const]
    }),
  )
  const rows = workers.map((name) => byName.get(name))
  const sets = rows.map((one) => {
    const covered = one ? parseMultirange(one[0]) : []
    return { covered, done: one ? union(covered, parseMultirange(one[1])) : [] }
  })
  const start = heightFrom(first)
  const covered = sets.map((set) => set.covered).reduce(intersect)
  const done = sets.map((set) => set.done).reduce(intersect)
  return {
    epoch: Number(epoch),
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
