// Which of the tables and indexes that a query needs a store has. One that is upgraded gets them in the background, and
// what is there stays there, so that it is looked up no more.

import type { RangeSet } from "../domain/range-set.js"
import type { Queryable } from "../postgres/transaction.js"
import { indexedTableHeights } from "../workers/postgres/table-indexes.js"
import { workerSchema } from "../workers/worker-registry.js"
import type { Needs } from "./resource.js"

export class NeedsWatch {
  readonly #there = new Set<string>()

  /** Whether all of it was seen. */
  areMet(needs: Needs): boolean {
    return this.#there.has(JSON.stringify(needs))
  }

  /** The heights at which all is there; undefined where nothing is missing. */
  async missing(tx: Queryable, needs: Needs): Promise<RangeSet | undefined> {
    const name = JSON.stringify(needs)
    if (this.#there.has(name)) return undefined
    const heights = await heightsWith(tx, needs)
    if (!isWhole(heights)) return heights
    this.#there.add(name)
    return undefined
  }
}

async function heightsWith(tx: Queryable, { tables = [], indexes = [] }: Needs): Promise<RangeSet> {
  // Not to_regclass: a table that was created after the transaction's snapshot would be seen, but none of its rows.
  const { rows } = await tx.query<{ found: string }>(
    `select count(*) as found from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where nspname = $1 and relname = any($2)`,
    [workerSchema, tables],
  )
  return Number(rows[0]!.found) < tables.length ? [] : indexedTableHeights(tx, indexes)
}

const isWhole = ([first, ...more]: RangeSet): boolean =>
  more.length === 0 && first?.from === 0 && first.to === Number.MAX_SAFE_INTEGER
