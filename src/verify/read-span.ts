// Finds the heights that have rows or coverage, raw or derived. Verify jumps from one to the next, so that a stray
// row far above the others does not make it scan the heights in between.

import type { BlockRange } from "../domain/block-range.js"
import type { ChainFamily } from "../families/chain-family.js"
import { heightFrom } from "../postgres/postgres-error.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { Queryable } from "../postgres/transaction.js"
import { eventTables } from "../workers/worker-definition.js"
import { type WorkerRegistry, workerSchema } from "../workers/worker-registry.js"

export interface SpanDeps {
  readonly raw: Queryable
  readonly app: Queryable
  readonly family: Pick<ChainFamily, "rawTables">
  /** As registered in the database. */
  readonly registry: WorkerRegistry
}

/** From the lowest height to the highest; empty for an empty store. */
export async function readSpan(deps: SpanDeps): Promise<BlockRange> {
  const end = await each(deps, {
    rows: (table, height) => `select max(${height}) + 1 from ${table}`,
    covered: (schema) => `select max(upper(part)) from ${schema}.coverage, unnest(heights) as part`,
    choose: Math.max,
  })
  return { from: (await nextStored(deps, 0)) ?? 0, to: end ?? 0 }
}

/** The first height at or above `from` that has a row or is covered. Each table needs one index probe. */
export function nextStored(deps: SpanDeps, from: number): Promise<number | undefined> {
  return each(deps, {
    rows: (table, height) => `select min(${height}) from ${table} where ${height} >= ${from}`,
    covered: (schema) =>
      `select min(greatest(lower(part), ${from})) from ${schema}.coverage, unnest(heights) as part
       where upper(part) > ${from}`,
    choose: Math.min,
  })
}

async function each(
  { raw, app, family, registry }: SpanDeps,
  {
    rows,
    covered,
    choose,
  }: {
    rows: (table: string, height: string) => string
    covered: (schema: string) => string
    choose: (...heights: number[]) => number
  },
): Promise<number | undefined> {
  const tables = registry.workers.flatMap(eventTables)
  const found = [
    ...(await heights(raw, [
      ...family.rawTables.map(({ table, height }) => rows(`raw.${table}`, height)),
      covered("raw"),
    ])),
    ...(await heights(app, [
      ...tables.map(([table]) => rows(quoteIdentifier(workerSchema, table), "block_height")),
      covered("app"),
    ])),
  ]
  return found.length === 0 ? undefined : choose(...found)
}

async function heights(sql: Queryable, parts: readonly string[]): Promise<number[]> {
  const { rows } = await sql.query<{ height: string | null }>(
    `select height from (${parts.join(" union all ")}) as stored (height) where height is not null`,
  )
  return rows.map(({ height }) => heightFrom(height!))
}
