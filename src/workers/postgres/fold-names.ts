// Names in the SQL of folds: quoted tables, keys and columns, and the aliases of intermediate columns.

import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import { columnsOf, type FoldPlan, type PlannedColumn, stateColumns } from "../fold-plan.js"
import { workerSchema } from "../worker-registry.js"

export const tableName = (table: string): string => quoteIdentifier(workerSchema, table)

export const keyList = (plan: FoldPlan): string => plan.key.map(({ name }) => quoteIdentifier(name)).join(", ")

export const columnList = (plan: FoldPlan, alias?: string): string =>
  stateColumns(plan)
    .map(({ name }) => quoteIdentifier(...(alias ? [alias, name] : [name])))
    .join(", ")

export const valueAlias = (plan: FoldPlan, column: PlannedColumn): string =>
  `v${columnsOf(plan, "first", "last").indexOf(column)}`

export const extremeAlias = (plan: FoldPlan, column: PlannedColumn): string =>
  `m${columnsOf(plan, "min", "max").indexOf(column)}`
