// The net under the claims' lock, which none of them meets while all of them take it: a claim that does not wait for the others, and one
// that sees none of their leases either.

import { claimGroup } from "../../../src/coordination/postgres/claim-group.js"
import { coordinationTables } from "../../../src/coordination/postgres/coordination-tables.js"
import { rawIngester } from "../../../src/coordination/raw-ingester.js"
import type { BlockRange } from "../../../src/domain/block-range.js"
import type { Queryable } from "../../../src/postgres/transaction.js"
import type { Operation } from "./draw-operation.js"
import { hourMs, type Side } from "./sides.js"

export const unguardedClaims: readonly Operation[] = [
  {
    name: "claim without its lock",
    run: (side) => claim(side, { region: everywhere, maxBlocks: 10, isBlind: false }),
  },
  {
    name: "claim that sees no leases",
    // One block: of two leases in its way an index may show either first.
    run: (side) => claim(side, { region: side.held[0]?.range ?? everywhere, maxBlocks: 1, isBlind: true }),
  },
]

const everywhere: BlockRange = { from: 0, to: 24 }

function claim(
  { sql, random, schema, held }: Side,
  { region, maxBlocks, isBlind }: { region: BlockRange; maxBlocks: number; isBlind: boolean },
): Promise<unknown> {
  return sql.transaction(async (tx) => {
    const leases = await claimGroup({ tables: coordinationTables(schema), random }, past(tx, isBlind), {
      ...{ members: [{ worker: rawIngester, dependencies: [] }], regions: [region], maxBlocks },
      ...{ holder: "p3", rangeSize: 10, order: "oldest", ttlMs: hourMs },
    })
    held.push(...leases)
    return leases.map(({ range, attempt, epoch }) => ({ range, attempt, epoch }))
  })
}

const past = (tx: Queryable, isBlind: boolean): Queryable => ({
  query: async (text, params, options) => {
    if (text.includes("pg_advisory_xact_lock(")) return tx.query("select 1 as one")
    const result = await tx.query(text, params, options)
    const [view] = result.rows
    if (isBlind && view?.["unfinished"]) Object.assign(view, { unfinished: [] })
    return result as never
  },
})
