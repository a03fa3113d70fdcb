// The GraphQL schema of a chain, from the tables that its database has.

import { type GraphQLFieldConfigMap, GraphQLNonNull, GraphQLObjectType, GraphQLSchema } from "graphql"
import { connectionType } from "./connection-type.js"
import type { GraphOperation, GraphRow } from "./graph-operation.js"
import { scalarOf } from "./graph-scalars.js"
import type { GraphFamily, GraphRelation, GraphTable } from "./graph-table.js"
import { type GraphField, keyField, listField, rowField, type TableType, tableFilter } from "./list-field.js"
import { metaType } from "./meta-type.js"
import { rowCost } from "./operation-cost.js"
import { cell } from "./read-rows.js"
import type { RowTotal } from "./row-total.js"
import { describeAccess } from "./table-access.js"
import type { TableNames } from "./table-names.js"

export interface SchemaParts {
  readonly tables: readonly GraphTable[]
  readonly names: TableNames
  readonly relations: readonly GraphRelation[]
  readonly lookups: GraphFamily["lookups"]
  readonly totals: GraphFamily["totals"]
}

export function buildSchema({ tables, names, relations, lookups, totals }: SchemaParts): GraphQLSchema {
  const types = new Map<GraphTable, TableType>()
  for (const table of tables) {
    const { type: name } = names.of(table)
    const own = relations.filter(({ from }) => from === table)
    const type: GraphQLObjectType = new GraphQLObjectType<GraphRow, GraphOperation>({
      name,
      description: describeTable(table),
      // Later, since the types of relations refer to each other.
      fields: () => ({ ...columnFields(table), ...relationFields(own, types) }),
    })
    types.set(table, {
      ...{ table, type, relations: own, connection: connectionType(type, name) },
      ...tableFilter(table, name),
      total: totalOf(table, { tables, totals }),
    })
  }
  const fields: Record<string, GraphField<undefined>> = {}
  for (const [table, type] of types) {
    const { list, single } = names.of(table)
    fields[single] = { ...keyField(type, lookups), description: `One row of ${list}.` }
    fields[list] = { ...listField<undefined>(type), description: describeTable(table) }
  }
  return new GraphQLSchema({
    query: new GraphQLObjectType<undefined, GraphOperation>({
      name: "Query",
      fields: {
        _meta: {
          type: new GraphQLNonNull(metaType),
          description: "How far this operation's answer is complete.",
          extensions: { ...rowCost, isMeta: true },
          resolve: (_source, _args, operation) => operation,
        },
        ...fields,
      },
    }),
  })
}

function columnFields({ columns }: GraphTable): GraphQLFieldConfigMap<GraphRow, GraphOperation> {
  return Object.fromEntries(
    [...columns.values()].map(({ name, kind, nullable }) => [
      name,
      {
        type: nullable ? scalarOf[kind] : new GraphQLNonNull(scalarOf[kind]),
        resolve: (row: GraphRow) => cell(row, name),
      },
    ]),
  )
}

function relationFields(
  relations: readonly GraphRelation[],
  types: ReadonlyMap<GraphTable, TableType>,
): GraphQLFieldConfigMap<GraphRow, GraphOperation> {
  return Object.fromEntries(
    relations.map((relation) => {
      const type = types.get(relation.to)!
      return [relation.name, relation.isList ? listField<GraphRow>(type, relation) : rowField(type, relation)]
    }),
  )
}

/** None where the store has no such counter, or another worker keeps it. */
function totalOf(table: GraphTable, { tables, totals }: Pick<SchemaParts, "tables" | "totals">): RowTotal | undefined {
  const declared = totals.find((one) => one.table === table.name)
  if (!declared?.counter) return declared && { by: declared.by, counter: undefined }
  const { counter, by } = declared
  const kept = tables.find(({ name, worker }) => name === counter.table && worker === table.worker)
  return kept && { by, counter: { table: kept, column: counter.column } }
}

const describeTable = (table: GraphTable): string =>
  `${table.store}.${table.name}, kept by ${table.worker}: ` +
  `${table.height === undefined ? "state, as of the newest covered block" : "rows of blocks, in the order of the chain"}. ` +
  `Filters: ${describeAccess(table)}.`
