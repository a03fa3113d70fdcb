// A field that is a list of a table's rows, of the chain or of another row, and one that is a single row.

import {
  GraphQLEnumType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLString,
} from "graphql"
import { RequestError } from "../request-error.js"
import { bytesOf } from "../value-schemas.js"
import type { Connection } from "./connection-type.js"
import { orderDirection } from "./connection-type.js"
import type { GraphOperation, GraphRow, RowsAsked } from "./graph-operation.js"
import { BigIntText, scalarOf } from "./graph-scalars.js"
import type { GraphRelation, GraphTable, Lookup } from "./graph-table.js"
import { assertFits, filterType, parseFilter, type Where } from "./list-filter.js"
import { listCost, rowCost } from "./operation-cost.js"
import { cell } from "./read-rows.js"
import { type RowTotal, rowTotal } from "./row-total.js"
import { selectedColumns } from "./selected-columns.js"
import { orderColumns, tableAccess } from "./table-access.js"

export interface TableType {
  readonly table: GraphTable
  readonly type: GraphQLObjectType
  readonly connection: GraphQLObjectType
  readonly relations: readonly GraphRelation[]
  readonly filter: GraphQLInputObjectType
  readonly orderBy: GraphQLEnumType | undefined
  readonly total: RowTotal | undefined
}

export interface BlockArgument {
  readonly number?: string | null
  readonly number_gte?: string | null
}

interface ListArguments {
  readonly first: number
  readonly after?: string | null
  readonly where?: Where | null
  readonly orderBy?: string | null
  readonly orderDirection?: "asc" | "desc" | null
  readonly block?: BlockArgument | null
}

export type GraphField<Source> = GraphQLFieldConfig<Source, GraphOperation>

const mostRows = 200

const blockArgument = new GraphQLInputObjectType({
  name: "Block_height",
  fields: {
    number: { type: BigIntText, description: "As of this block: rows of later blocks are not shown." },
    number_gte: { type: BigIntText, description: "Waits until this block is covered, at most 30 s." },
  },
})
const blockArguments: GraphQLFieldConfigArgumentMap = { block: { type: blockArgument } }

export const tableFilter = (table: GraphTable, typeName: string): Pick<TableType, "filter" | "orderBy"> => {
  const columns = orderColumns(table)
  return {
    filter: filterType(table, typeName),
    orderBy:
      columns.length === 0
        ? undefined
        : new GraphQLEnumType({
            name: `${typeName}_orderBy`,
            values: Object.fromEntries(columns.map((name) => [name, { value: name }])),
          }),
  }
}

/** `relation`: of the rows that belong to another row. */
export function listField<Source extends GraphRow | undefined>(
  { table, type: _, connection, relations, filter, orderBy, total }: TableType,
  relation?: GraphRelation,
): GraphField<Source> {
  return {
    // Not required: a list that is refused leaves the others their data.
    type: connection,
    args: {
      first: { type: new GraphQLNonNull(GraphQLInt), defaultValue: 25, description: `1 to ${mostRows}.` },
      after: { type: GraphQLString, description: "A cursor of the same list." },
      where: { type: filter },
      ...(orderBy ? { orderBy: { type: orderBy } } : {}),
      orderDirection: {
        type: orderDirection,
        description: table.height === undefined ? "asc by default." : "Of the chain; desc by default.",
      },
      ...(relation ? {} : blockArguments),
    },
    extensions: {
      tables: [table],
      ...listCost,
    },
    resolve: async (source, args, operation, info) => {
      const given = args as unknown as ListArguments
      if (given.first < 1 || given.first > mostRows)
        throw new RequestError("BAD_REQUEST", `first must be 1 to ${mostRows}`)
      const parent = source && relation ? relation.own.map((column) => cell(source, column)) : []
      const at = source ? source.at : heightAt(given.block)
      const where = parseFilter(table, given.where ?? {})
      const target = relation?.target ?? []
      const doubled = where.equal.find((column) => target.includes(column))
      if (doubled) throw new RequestError("BAD_REQUEST", `${doubled} is given by the row that this list belongs to`)
      const access = tableAccess(table, {
        ...{ equal: [...target, ...where.equal], several: where.several, ranged: where.ranged },
        orderBy: given.orderBy ?? undefined,
      })
      const order = given.orderDirection ?? (table.height === undefined ? "asc" : "desc")
      const { chain, cursors } = operation.options
      // Everything that decides which rows are in the list, and in which order.
      const { conditions, from, to } = where
      const name = JSON.stringify([
        "graphql",
        chain,
        table.name,
        target,
        parent,
        conditions,
        from,
        to,
        at ?? null,
        access,
        order,
      ])
      const asked: RowsAsked = {
        columns: columnsOf(operation, info, { table, relations, paths: [["nodes"], ["edges", "node"]] }),
        ...{ access, filter: where, order, limit: given.first, at },
        after: given.after ? cursors.decode(name, given.after) : undefined,
      }
      const rows =
        source && relation ? await operation.related(relation, source, asked) : await operation.rows(table, asked)
      const shown = rows.slice(0, given.first)
      const end = operation.options.scope.covered.at(-1)?.to ?? 0
      const epoch = operation.options.scopes[table.store]?.epoch ?? 0
      return {
        ...{ rows: shown, hasMore: rows.length > given.first, isContinued: asked.after !== undefined },
        cursorOf: ({ key }) =>
          cursors.encode(name, { epoch, height: table.height === undefined ? end - 1 : Number(key[0]), key }),
        total: () =>
          // Rows whose order has no place for them are left out.
          access.notNull === undefined
            ? rowTotal(operation, total, { target, parent, where, at })
            : Promise.resolve(null),
      } satisfies Connection
    },
  }
}

/** The row that another row names. */
export function rowField({ table, type, relations }: TableType, relation: GraphRelation): GraphField<GraphRow> {
  return {
    type,
    extensions: { tables: [table], ...rowCost },
    resolve: async (source, _args, operation, info) => {
      const [row] = await operation.related(relation, source, {
        ...one(table, relation.target),
        columns: columnsOf(operation, info, { table, relations, paths: [[]] }),
        at: source.at,
      })
      return row
    },
  }
}

/** A row by its key, or by what its family finds it by. */
export function keyField({ table, type, relations }: TableType, lookups: readonly Lookup[]): GraphField<undefined> {
  const own = lookups.filter((lookup) => lookup.table === table.name)
  const key = table.key.map((column) => [column, scalarOf[table.columns.get(column)!.kind]] as const)
  return {
    type,
    args: {
      ...Object.fromEntries(
        key.map(([column, scalar]) => [column, { type: own.length > 0 ? scalar : new GraphQLNonNull(scalar) }]),
      ),
      ...Object.fromEntries(own.map(({ argument }) => [argument, { type: scalarOf.bytes }])),
      ...blockArguments,
    },
    extensions: { tables: [table], ...rowCost, ...(own.length > 0 ? { stores: ["raw"] } : {}) },
    resolve: async (_source, args: Record<string, unknown>, operation, info) => {
      const lookup = own.find(({ argument }) => args[argument] != null)
      const given = lookup ? await found(operation, lookup, args[lookup.argument]) : args
      if (!given) return null
      const parent = table.key.map((column) => given[column] ?? null)
      if (parent.includes(null)) {
        const ways = [table.key.join(" and "), ...own.map(({ argument }) => argument)]
        throw new RequestError("BAD_REQUEST", `give ${ways.join(", or ")}`)
      }
      for (const [at, column] of table.key.entries()) assertFits(table, column, parent[at])
      const [row] = await operation.rowsOf(
        table,
        { target: table.key, parent, name: `${table.name} by key` },
        {
          ...one(table, table.key),
          columns: columnsOf(operation, info, { table, relations, paths: [[]] }),
          at: heightAt(args["block"] as BlockArgument | undefined),
        },
      )
      return row
    },
  }
}

const found = (operation: GraphOperation, lookup: Lookup, value: unknown) =>
  operation.read({ store: "raw" }, (raw) => lookup.find(raw, Buffer.isBuffer(value) ? value : bytesOf(String(value))))

const one = (table: GraphTable, target: readonly string[]) => ({
  access: tableAccess(
    { ...table, height: undefined },
    { equal: target, several: undefined, ranged: [], orderBy: undefined },
  ),
  ...{ filter: { conditions: [], from: 0, to: Number.MAX_SAFE_INTEGER }, order: "asc" as const, limit: 0 },
  after: undefined,
})

const heightAt = (block: BlockArgument | null | undefined): number | undefined =>
  block?.number == null ? undefined : Number(block.number)

function columnsOf(
  operation: GraphOperation,
  info: GraphQLResolveInfo,
  options: Parameters<typeof selectedColumns>[1],
): readonly string[] {
  const known = operation.columns.get(info.fieldNodes) ?? selectedColumns(info, options)
  operation.columns.set(info.fieldNodes, known)
  return known
}
