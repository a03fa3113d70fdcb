// State tables are the fold over exactly what their worker covers. Compared by stretches of keys where the events can be
// found by key, and as a whole where not.

import type { CoverageLedger } from "../coordination/coverage-ledger.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { SqlExecutor } from "../postgres/sql-executor.js"
import type { Queryable } from "../postgres/transaction.js"
import { type FoldPlan, foldIndexes } from "../workers/fold-plan.js"
import { diffFold, type FoldDifference } from "../workers/postgres/diff-fold.js"
import { workerSchema } from "../workers/worker-registry.js"
import { heightsOf } from "./check-coverage.js"
import type { Finding } from "./finding.js"

const limits = {
  isolation: "repeatable read",
  readOnly: true,
  // A fold over everything, where its events have no index by key, reads everything.
  statementTimeoutMs: 3_600_000,
} as const

export async function* checkFold<Tx extends Queryable>(
  { app, ledger }: { app: SqlExecutor<Tx>; ledger: Pick<CoverageLedger, "readCoverage"> },
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
    for (const difference of differences) yield finding(plan, difference)
    if (upTo === undefined) return
    above = upTo
  }
}

/** Whether each stretch of keys is a walk along an index of every table it comes from. */
function isFoundByKey(plan: FoldPlan): boolean {
  const made = foldIndexes(plan)
  return plan.sources.every(({ table, key: [first], indexed }) => {
    if (first?.of !== "column") return false
    const indexes = [
      ...indexed,
      ...made.filter((index) => index.table === table).map(({ columns }) => columns),
    ]
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

function finding(plan: FoldPlan, { expected, found }: FoldDifference): Finding {
  const key = Object.fromEntries(plan.key.map(({ name }) => [name, (expected ?? found)![name] ?? null]))
  const place = `${workerSchema}.${plan.table} (${plan.key.map(({ name }) => `${name} ${key[name]}`).join(", ")})`
  const names = Object.keys((expected ?? found)!).filter((name) => expected?.[name] !== found?.[name])
  const said = (row: FoldDifference["found"]): string =>
    names.map((name) => `${name} ${row?.[name] ?? "null"}`).join(", ")
  return {
    check: "folds",
    table: `${workerSchema}.${plan.table}`,
    heights: undefined,
    key,
    ...(expected ? { expected: said(expected) } : {}),
    ...(found ? { found: said(found) } : {}),
    message: !found
      ? `the row ${place} is missing`
      : !expected
        ? `the row ${place} should not be there`
        : `the row ${place} has ${said(found)}, folded anew ${said(expected)}`,
    remedy: { kind: "refold", worker: plan.worker, table: plan.table, key },
  }
}
