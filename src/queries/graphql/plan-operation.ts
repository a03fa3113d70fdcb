// What an operation will read, known before it runs: its tables, and the block that it waits for.

import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getArgumentValues,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from "graphql"
import type { Store } from "../answer-scope.js"
import type { GraphTable } from "./graph-table.js"
import type { BlockArgument } from "./list-field.js"

export interface OperationPlan {
  /** None: it asks about the schema only. */
  readonly stores: readonly Store[]
  readonly workers: Readonly<Record<Store, readonly string[]>>
  readonly waitFor: number | undefined
}

/** In the extensions of a field. */
interface PlannedField {
  readonly tables?: readonly GraphTable[]
  readonly isMeta?: boolean
  readonly stores?: readonly Store[]
}

/** `document` has one operation. Values of variables are checked. */
export function planOperation(
  {
    schema,
    tables: all,
    rawWorker,
  }: { readonly schema: GraphQLSchema; readonly tables: readonly GraphTable[]; readonly rawWorker: string },
  {
    document,
    variables,
  }: {
    readonly document: DocumentNode
    readonly variables: Readonly<Record<string, unknown>>
  },
): OperationPlan {
  const tables = new Set<GraphTable>()
  const stores = new Set<Store>()
  const waits: number[] = []
  let asksMeta = false
  const types = new TypeInfo(schema)
  const enter = (node: FieldNode): void => {
    const field = types.getFieldDef()
    if (!field) return
    const planned = field.extensions as PlannedField
    for (const table of planned.tables ?? []) tables.add(table)
    for (const store of planned.stores ?? []) stores.add(store)
    asksMeta ||= planned.isMeta ?? false
    if (!node.arguments?.some(({ name }) => name.value === "block")) return
    const { block } = getArgumentValues(field, node, variables) as { block?: BlockArgument }
    if (block?.number_gte != null) waits.push(Number(block.number_gte))
  }
  visit(document, visitWithTypeInfo(types, { Field: { enter } }))
  // By itself it is about everything that there is.
  if (asksMeta && tables.size === 0) for (const table of all) tables.add(table)
  const named = (store: Store): string[] => [
    ...new Set([...tables].filter((table) => table.store === store).flatMap(({ workers }) => workers)),
  ]
  for (const table of tables) stores.add(table.store)
  return {
    stores: (["app", "raw"] as const).filter((store) => stores.has(store)),
    workers: { app: named("app"), raw: stores.has("raw") ? [rawWorker] : [] },
    waitFor: waits.length > 0 ? Math.max(...waits) : undefined,
  }
}
