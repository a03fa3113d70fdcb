// A request as GraphQL over HTTP has it: parameters of a GET, or the JSON body of a POST. One operation each.

import type { FastifyRequest } from "fastify"
import { RequestError } from "../../queries/request-error.js"

export interface GraphqlRequest {
  readonly query: string
  readonly operationName: string | undefined
  readonly variables: Readonly<Record<string, unknown>>
}

export type AnswerType = "application/graphql-response+json" | "application/json"

export function graphqlRequest({
  method,
  query,
  body,
}: Pick<FastifyRequest, "method" | "query" | "body">): GraphqlRequest {
  if (method === "GET") {
    const { query: text, operationName, variables } = query as Record<string, unknown>
    return checked({
      query: text,
      operationName: operationName === "" ? undefined : operationName,
      variables: json(variables),
    })
  }
  if (Array.isArray(body)) throw refuse("one operation for each request: there are no batches")
  if (typeof body !== "object" || body === null) throw refuse("the body must be a JSON object with a query")
  return checked(body as Record<string, unknown>)
}

function checked({ query, operationName, variables }: Readonly<Record<string, unknown>>): GraphqlRequest {
  if (typeof query !== "string" || query === "") throw refuse("query must be the text of an operation")
  if (operationName != null && typeof operationName !== "string") throw refuse("operationName must be a string")
  if (variables != null && (typeof variables !== "object" || Array.isArray(variables)))
    throw refuse("variables must be an object")
  return { query, operationName: operationName ?? undefined, variables: (variables ?? {}) as Record<string, unknown> }
}

function json(text: unknown): unknown {
  if (text === undefined || text === "") return undefined
  try {
    return JSON.parse(String(text))
  } catch {
    throw refuse("variables must be JSON")
  }
}

/** Undefined: nothing that the client accepts. */
export function answerType(accept: string | undefined): AnswerType | undefined {
  const types = (accept ?? "*/*").split(",").map((one) => one.split(";")[0]!.trim().toLowerCase())
  if (types.includes("application/graphql-response+json")) return "application/graphql-response+json"
  return types.some((type) => ["application/json", "application/*", "*/*"].includes(type))
    ? "application/json"
    : undefined
}

/** A browser that opens the address, and not a program that asks. */
export const wantsPage = ({ headers, query }: FastifyRequest): boolean =>
  (headers.accept ?? "").includes("text/html") && (query as Record<string, unknown>)["query"] === undefined

const refuse = (message: string): RequestError => new RequestError("BAD_REQUEST", message)
