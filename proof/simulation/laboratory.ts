// What all seeds share: statements, which are compiled once, and results of those that the simulation does not model.

import type { StateTable } from "../../src/workers/worker-definition.js"
import { StatementBook } from "./model/model-database.js"
import { ModelFold } from "./model/model-fold.js"
import { appShapes, eventShape, rawShapes, stateShape } from "./model/model-schema.js"
import { SimDerivedStore } from "./sim-stores.js"
import { storedRegistry } from "./sim-workers.js"

export interface Laboratory {
  readonly rawBook: StatementBook
  readonly appBook: StatementBook
  readonly store: SimDerivedStore
}

export async function openLaboratory(): Promise<Laboratory> {
  const registry = await storedRegistry()
  const emptyFor = (begins: string) => ({ begins, run: () => ({ rows: [], rowCount: 0 }) })
  // The simulation has no observations.
  const observations = ["update app.job_queue", "update app.queued_heights", "with found as"].map(emptyFor)
  const tablesExist = {
    begins: "select namespace.nspname",
    run: ({ params }: { params: readonly unknown[] }) => {
      const [schemas, names] = params as [string[], string[]]
      const rows = schemas.map((schema, at) => ({ schema, name: names[at] }))
      return { rows, rowCount: rows.length }
    },
  }
  // Only people read these.
  const errors = ["insert into raw.", "update raw.", "insert into app.", "update app."].map((act) =>
    emptyFor(`${act}indexing_errors`),
  )
  const rawBook = new StatementBook(rawShapes, [tablesExist, ...errors])
  const appBook = new StatementBook(
    [
      ...appShapes,
      ...["sim_transfers", "sim_moves"].map(eventShape),
      ...["sim_holdings", "sim_totals"].map(stateShape),
    ],
    [...observations, tablesExist, ...errors],
  )
  const folds = new Map(
    [...registry.folds].map(([worker, plans]) => [
      worker,
      plans.map((plan) => new ModelFold(plan, registry.table(plan.table) as StateTable)),
    ]),
  )
  for (const fold of [...folds.values()].flat()) fold.defineIn(appBook)
  return { rawBook, appBook, store: new SimDerivedStore(folds) }
}
