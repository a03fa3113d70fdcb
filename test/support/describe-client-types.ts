// The types of the client, from the OpenAPI document of the routes.

import { fastify } from "fastify"
import { noAccess } from "../../src/api/access.js"
import { dataApi } from "../../src/api/data-api.js"
import { evmFamily } from "../../src/families/evm/evm-family.js"
import { systemClock } from "../../src/platform/clock.js"

interface Schema {
  readonly type?: string | readonly string[]
  readonly pattern?: string
  readonly enum?: readonly (string | number)[]
  readonly const?: string
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}
interface Operation {
  readonly summary: string
  readonly parameters?: readonly { name: string; in: "path" | "query"; required?: boolean; schema: Schema }[]
  readonly responses: { readonly 200: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> } }
}

const prefix = "/v1/{chain}"
/** Users' tables have types of their own. */
const untyped = ["/tables/{table}"]

export async function describeClientTypes(): Promise<string> {
  const app = fastify()
  await dataApi(app, {
    ...{ version: "0", chains: () => [], resources: evmFamily.resources, corsOrigins: [], requestsPerMinute: 0 },
    access: { ...noAccess, opsIsPublic: true },
    itemMetadata: {
      ...{ isOn: false, urisOf: () => evmFamily.itemUris, nodeOf: () => undefined, nodeRequestsPerMinute: 1 },
      ...{ gateways: { ipfs: "", arweave: "" }, clock: systemClock },
    },
  })
  await app.ready()
  const { paths } = app.swagger() as unknown as { paths: Record<string, { get?: Operation }> }
  await app.close()
  const routes = Object.entries(paths)
    .filter(([path, { get }]) => get && path.startsWith(prefix) && !untyped.includes(path.slice(prefix.length)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  // Nearly every answer has it.
  const meta = typeOf(
    paths[`${prefix}/blocks`]!.get!.responses[200].content["application/json"]!.schema.properties!["meta"]!,
  )
  return `// Made from the schemas of the routes: \`npm run schema\` writes it again.

type Digits = string | number | bigint

/** How far an answer is complete. */
export interface Meta ${meta}

export interface Routes {
${routes.map(([path, { get }]) => routeText(path.slice(prefix.length), get!).replaceAll(meta, "Meta")).join("\n")}
}
`
}

function routeText(path: string, { summary, parameters = [], responses }: Operation): string {
  const own = parameters.filter(({ name }) => name !== "chain" && name !== "format")
  const args = own.map(({ name, in: where, required, schema }) => {
    const isRequired = where === "path" || required === true
    return `readonly ${name}${isRequired ? "" : "?"}: ${argumentType(schema)}`
  })
  const answer = responses[200].content["application/json"]!.schema
  const isPaged =
    own.some(({ name }) => name === "cursor") && typeOf(answer.properties!["data"]!).startsWith("readonly")
  return `  /** ${summary.replace(/\.$/, "")}. */
  readonly "${path}": {
    readonly paged: ${isPaged}
    readonly args: { ${args.join("; ")} }
    readonly answer: ${typeOf(answer)}
  }`
}

/** Numbers may be given as such where the server wants digits. */
const argumentType = (schema: Schema): string =>
  /^\^\(?\[0-9\]/.test(schema.pattern ?? "") ? "Digits" : typeOf(schema)

function typeOf(schema: Schema): string {
  const { type, anyOf, items, properties } = schema
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ")
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(" | ")
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(" | ")
  if (type === "array") return `readonly (${typeOf(items ?? {})})[]`
  if (type === "object" && properties) {
    const required = new Set(schema.required ?? [])
    const fields = Object.entries(properties).map(
      ([name, one]) =>
        `readonly ${/^\w+$/.test(name) ? name : `"${name}"`}${required.has(name) ? "" : "?"}: ${typeOf(one)}`,
    )
    return `{ ${fields.join("; ")} }`
  }
  if (type === "object") return "Readonly<Record<string, unknown>>"
  if (type === "integer" || type === "number") return "number"
  return type === "string" || type === "boolean" || type === "null" ? type : "unknown"
}
