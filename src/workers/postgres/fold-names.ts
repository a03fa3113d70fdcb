// How the SQL of folds calls things: tables, keys and columns as they are, and the aliases that stand for them in between.

import { quoteIdentifier } from "../../postgres/quote-identifier.js"
import { columnsOf, type FoldPlan, type PlannedColumn, stateColumns } from "../fold-plan.js"

const schema = "app"

export const tableName = (table: string): string => quoteIdentifier(schema, table)

export const keyList = (plan: FoldPlan): string =>
  plan.key.map(({ name }) => quoteIdentifier(name)).join(", ")

export const keyAliases = (plan: FoldPlan, alias: string): string =>
  plan.key.map((_, at) => `${alias}.k${at}`).join(", ")

export const columnList = (plan: FoldPlan, alias?: string): string =>
  stateColumns(plan)
    .map(({ name }) => quoteIdentifier(...(alias ? [alias, name] : [name])))
    .join(", ")

export const sameKey = (plan: FoldPlan, table: string, aliased: string): string =>
  plan.key.map(({ name }, at) => `${table}.${quoteIdentifier(name)} = ${aliased}.k${at}`).join(" and ")

export const sameKeyNames = (plan: FoldPlan, a: string, b: string): string =>
  plan.key.map(({ name }) => `${a}.${quoteIdentifier(name)} = ${b}.${quoteIdentifier(name)}`).join(" and ")

export const valueAlias = (plan: FoldPlan, column: PlannedColumn): string =>
  `v${columnsOf(plan, "first", "last").indexOf(column)}`

export const extremeAlias = (plan: FoldPlan, column: PlannedColumn): string =>
  `m${columnsOf(plan, "min", "max").indexOf(column)}`
