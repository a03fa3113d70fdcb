// A state table is the fold over exactly what its worker covers. Compares it in pieces of keys if an index finds the
// events by key, otherwise as a whole.

import type { CoverageLedger } from "../coordination/coverage-ledger.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { Queryable, SqlExecutor } from "../postgres/transaction.js"
import { type FoldPlan, foldIndexes } from "../workers/fold-plan.js"
import { diffFold } from "../workers/postgres/diff-fold.js"
import { workerSchema } from "../workers/worker-registry.js"
import { heightsOf } from "./check-coverage.js"
import { describeDifference } from "./compare-rows.js"
import type { Finding } from "./finding.js"

const limits = {
  isolation: "repeatable read",
  readOnly: true,
  // A fold whose events have no index by key reads all of them.
  statementTimeoutMs: 3_600_000,
} as const

export async function* checkFold(
  { app, ledger }: { app: SqlExecutor; ledger: Pick<CoverageLedger, "readCoverage"> },
  plan: FoldPlan,
  { limit, perPiece }: { limit: number; perPiece: number },
): AsyncGenerator<Finding> {
  const splits = isFoundByKey(plan)
  let above: string | undefined
  for (;;) {
    const { upTo, differences } = await app.transaction(async (tx) => {
      const coverage = heightsOf(await ledger.readCoverage(tx), plan.worker)
      const end: string | undefined = splits ? await pieceEnd(tx, plan, { above, perPiece }) : undefined
      return { upTo: end, differences: await diffFold(tx, plan, { coverage, limit, above, upTo: end }) }
    }, limits)
    for (const difference of differences) {
      const key = plan.key.map(({ name }) => name)
      const table = `${workerSchema}.${plan.table}`
      const described = describeDifference(difference, { table, key, origin: "the fold of its events" })
      const remedy = { kind: "refold", worker: plan.worker, table: plan.table, key: described.key! } as const
      yield { check: "folds", heights: undefined, ...described, remedy }
    }
    if (upTo === undefined) return
    above = upTo
  }
}

/** Whether every source table has an index that leads with the first key column. */
function isFoundByKey(plan: FoldPlan): boolean {
  const made = foldIndexes(plan)
  return plan.sources.every(({ table, key: [first], indexed }) => {
    if (first?.of !== "column") return false
    const indexes = [...indexed, ...made.filter((index) => index.table === table).map(({ columns }) => columns)]
    return indexes.some(([leading]) => leading === first.column)
  })
}

async function pieceEnd(
  tx: Queryable,
  plan: FoldPlan,
  { above, perPiece }: { above: string | undefined; perPiece: number },
): Promise<string | undefined> {
  const key = quoteIdentifier(plan.key[0]!.name)
  const { rows } = await tx.query<{ key: string }>(
    `select ${key}::text as key from ${quoteIdentifier(workerSchema, plan.table)}
     ${above === undefined ? "" : `where ${key} > $2`} order by ${key} offset $1 limit 1`,
    [perPiece, ...(above === undefined ? [] : [above])],
  )
  return rows[0]?.key
}
