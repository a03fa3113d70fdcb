// A state table is the fold over exactly what its worker covers. Compares it in pieces of keys if an index finds the
// events by key, otherwise folds the events in pieces of heights. No statement reads more than a piece.

import type { CoverageLedger } from "../coordination/coverage-ledger.js"
import { quoteIdentifier } from "../postgres/quote-identifier.js"
import type { Queryable, SqlExecutor } from "../postgres/transaction.js"
import { type FoldPlan, foldIndexes } from "../workers/fold-plan.js"
import { diffFold, type FoldDifference } from "../workers/postgres/diff-fold.js"
import { diffFoldByHeight } from "../workers/postgres/diff-fold-by-height.js"
import { workerSchema } from "../workers/worker-registry.js"
import { heightsOf } from "./check-coverage.js"
import { describeDifference } from "./compare-rows.js"
import type { Finding } from "./finding.js"

const limits = { isolation: "repeatable read", statementTimeoutMs: 600_000 } as const

export interface CheckFoldOptions {
  readonly limit: number
  /** In one statement, of either. */
  readonly keys: number
  readonly heights: number
  readonly signal: AbortSignal
}

export async function* checkFold(
  { app, ledger }: { app: SqlExecutor; ledger: Pick<CoverageLedger, "readCoverage"> },
  plan: FoldPlan,
  options: CheckFoldOptions,
): AsyncGenerator<Finding> {
  const coverageIn = async (tx: Queryable) => heightsOf(await ledger.readCoverage(tx), plan.worker)
  if (!isFoundByKey(plan)) {
    const { limit, heights: perPiece, signal } = options
    const onPiece = () => signal.throwIfAborted()
    const differences = await app.transaction(
      async (tx) => diffFoldByHeight(tx, plan, { coverage: await coverageIn(tx), limit, perPiece, onPiece }),
      limits,
    )
    for (const difference of differences) yield findingOf(plan, difference)
    return
  }
  let above: string | undefined
  for (;;) {
    options.signal.throwIfAborted()
    const { upTo, differences } = await app.transaction(
      async (tx) => {
        const end: string | undefined = await pieceEnd(tx, plan, { above, perPiece: options.keys })
        const { limit } = options
        const bounds = { coverage: await coverageIn(tx), limit, above, upTo: end }
        return { upTo: end, differences: await diffFold(tx, plan, bounds) }
      },
      { ...limits, readOnly: true },
    )
    for (const difference of differences) yield findingOf(plan, difference)
    if (upTo === undefined) return
    above = upTo
  }
}

function findingOf(plan: FoldPlan, difference: FoldDifference): Finding {
  const key = plan.key.map(({ name }) => name)
  const table = `${workerSchema}.${plan.table}`
  const described = describeDifference(difference, { table, key, origin: "the fold of its events" })
  const remedy = { kind: "refold", worker: plan.worker, table: plan.table, key: described.key! } as const
  return { check: "folds", heights: undefined, ...described, remedy }
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
