// The types that lists have: connections as Relay knows them, forwards only, with the rows also as `nodes`.

import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from "graphql"
import type { GraphRow } from "./graph-operation.js"
import { BigIntText } from "./graph-scalars.js"
import { rowCost } from "./operation-cost.js"

export interface Connection {
  readonly rows: readonly GraphRow[]
  readonly hasMore: boolean
  readonly isContinued: boolean
  cursorOf(row: GraphRow): string
  total(): Promise<string | null>
}

const pageInfo = new GraphQLObjectType<Connection>({
  name: "PageInfo",
  fields: {
    hasNextPage: { type: new GraphQLNonNull(GraphQLBoolean), resolve: ({ hasMore }) => hasMore },
    hasPreviousPage: {
      type: new GraphQLNonNull(GraphQLBoolean),
      description: "Whether the page has a cursor that it comes after.",
      resolve: ({ isContinued }) => isContinued,
    },
    startCursor: { type: GraphQLString, resolve: ({ rows, cursorOf }) => rows[0] && cursorOf(rows[0]) },
    endCursor: {
      type: GraphQLString,
      description: "The `after` of the next page.",
      resolve: ({ rows, cursorOf }) => (rows.length > 0 ? cursorOf(rows.at(-1)!) : null),
    },
  },
})

export const orderDirection = new GraphQLEnumType({
  name: "OrderDirection",
  values: { asc: { value: "asc" }, desc: { value: "desc" } },
})

export function connectionType(row: GraphQLObjectType, typeName: string): GraphQLObjectType {
  const rows = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(row)))
  const edge = new GraphQLObjectType<{ row: GraphRow; cursor: string }>({
    name: `${typeName}_edge`,
    fields: {
      cursor: { type: new GraphQLNonNull(GraphQLString) },
      node: { type: new GraphQLNonNull(row), resolve: (source) => source.row },
    },
  })
  return new GraphQLObjectType<Connection>({
    name: `${typeName}_connection`,
    fields: {
      nodes: { type: rows, resolve: (source) => source.rows },
      edges: {
        type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(edge))),
        resolve: ({ rows, cursorOf }) => rows.map((one) => ({ row: one, cursor: cursorOf(one) })),
      },
      pageInfo: { type: new GraphQLNonNull(pageInfo), resolve: (source) => source },
      totalCount: {
        type: BigIntText,
        description: "Rows on all pages; null where nobody counts them.",
        extensions: { ...rowCost },
        resolve: ({ total }) => total(),
      },
    },
  })
}
