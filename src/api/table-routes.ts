// The tables of workers, a user's own among them. They are known while the process runs and differ between chains, so one
// route serves them all, and the document gets a path for each when it is asked for.

import type { FastifyInstance } from "fastify"
import { Type } from "typebox"
import { sqlStateOf } from "../postgres/postgres-error.js"
import { RequestError } from "../queries/request-error.js"
import type { ServedChain } from "../queries/served-chain.js"
import { filterPattern, mostFilters, tableColumns, tableResource } from "../queries/table-resource.js"
import type { WorkerTableInfo } from "../queries/worker-tables.js"
import {
  answerSchema,
  listQuery,
  listResponses,
  params,
  problemSchema,
  responses,
  rowSchema,
} from "./answer-schemas.js"
import type { CsvExports } from "./csv-export.js"
import { chainOf, sendList } from "./data-routes.js"

const tableParam = Type.String({ pattern: "^[a-z][a-z0-9_]{0,62}$" })
const one = Type.String({ pattern: filterPattern })
const filter = Type.Optional(
  Type.Unsafe<string | string[]>({
    anyOf: [one, { type: "array", items: one, maxItems: mostFilters }],
    description: "`column:value`, once or several times: on the leading columns of the key or of an index",
  }),
)
/** No such table or column. */
const changedTable = ["42P01", "42703"]

const tableSchema = Type.Object({
  table: Type.String(),
  worker: Type.String(),
  kind: Type.String(),
  columns: Type.Array(Type.Object({ name: Type.String(), kind: Type.String(), nullable: Type.Boolean() })),
  key: Type.Array(Type.String()),
  indexes: Type.Array(Type.Array(Type.String())),
})

interface TableRouteOptions {
  readonly chains: () => readonly ServedChain[]
  readonly exports: CsvExports
}

export function tableRoutes(app: FastifyInstance, { chains, exports }: TableRouteOptions): void {
  const chainNamed = (request: { params: unknown }): ServedChain =>
    chainOf(chains, (request.params as { chain: string }).chain)

  const list = {
    tags: ["tables"],
    summary: "The tables of workers, with their columns, keys and indexes",
    params: params(),
    querystring: Type.Object({}, { additionalProperties: false }),
    response: responses(Type.Object({ data: Type.Array(tableSchema) })),
  }
  app.get("/v1/:chain/tables", { schema: list }, async (request) => ({ data: await chainNamed(request).tables.all() }))

  const schema = {
    tags: ["tables"],
    summary: "The rows of one table",
    params: params({ table: tableParam }),
    querystring: listQuery({ height: "block_height", query: { filter } }),
    response: listResponses(answerSchema(Type.Array(Type.Object({}, { additionalProperties: true })))),
  }
  app.get("/v1/:chain/tables/:table", { schema }, async (request, reply) => {
    const chain = chainNamed(request)
    const query = request.query as Readonly<Record<string, string>> & { filter?: string | string[] }
    const { table } = request.params as { table: string }
    const info = await chain.tables.find(table)
    if (!info) throw new RequestError("NOT_FOUND", `there is no such table: see /v1/${chain.name}/tables`)
    const filters = [query.filter ?? []].flat()
    const limits = ["from_height", "to_height", "from_time", "to_time"].filter((name) => query[name] !== undefined)
    if (info.kind === "state" && limits.length > 0)
      throw new RequestError("BAD_REQUEST", `${limits[0]}: ${table} is state, and its rows are of no single height`)
    const values = { filter: JSON.stringify([...filters].sort()) }
    try {
      return await sendList(chain, tableResource(info, filters), { request, reply, exports, values })
    } catch (error) {
      if (!changedTable.includes(sqlStateOf(error) ?? "")) throw error
      // Dropped since it was read: its worker is being derived again.
      chain.tables.forget()
      throw new RequestError("NOT_FOUND", "this table is being recreated")
    }
  })
}

type Document = Readonly<Record<string, unknown>> & { readonly paths?: Readonly<Record<string, unknown>> }

/** With a path for each table: a client made of the document knows its columns. Of several chains the first that has it. */
export async function describeTables(document: unknown, chains: readonly ServedChain[]): Promise<Document> {
  const found = new Map<string, WorkerTableInfo>()
  for (const chain of chains) {
    // A chain whose database cannot be reached must not take the document of the others away.
    const tables = await chain.tables.all().catch(() => [])
    for (const info of tables) if (!found.has(info.table)) found.set(info.table, info)
  }
  const known = document as Document
  return {
    ...known,
    paths: {
      ...known.paths,
      ...Object.fromEntries([...found.values()].map((info) => [`/v1/{chain}/tables/${info.table}`, pathOf(info)])),
    },
  }
}

function pathOf(info: WorkerTableInfo): object {
  const { properties, required = [] } = listQuery({
    ...(info.kind === "events" ? { height: "block_height" } : {}),
    query: { filter },
  }) as unknown as { properties: Record<string, object>; required?: readonly string[] }
  const { properties: path } = params() as unknown as { properties: Record<string, object> }
  const problem = { description: "Refused", content: { "application/json": { schema: problemSchema } } }
  const rows = answerSchema(Type.Array(rowSchema({ columns: tableColumns(info) })))
  return {
    get: {
      tags: ["tables"],
      summary: `${info.table} of ${info.worker}. Key: ${info.key.join(", ")}`,
      parameters: [
        ...Object.entries(path).map(([name, schema]) => ({ name, in: "path", required: true, schema })),
        ...Object.entries(properties).map(([name, schema]) => ({
          ...{ name, in: "query", required: required.includes(name), schema },
        })),
      ],
      responses: {
        200: { description: "The rows", content: listResponses(rows)[200].content },
        ...Object.fromEntries([400, 401, 404, 409, 422, 429, 503, 504].map((status) => [status, problem])),
      },
    },
  }
}
