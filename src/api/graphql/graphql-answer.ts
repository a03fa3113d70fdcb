// An answer as GraphQL over HTTP has it: errors with codes, without a stack or anything else of ours, and the status.

import type { ExecutionResult, GraphQLError } from "graphql"
import type { Logger } from "../../platform/logger.js"
import { type Refusal, refusalOf } from "../refusal.js"
import type { AnswerType } from "./graphql-request.js"

interface AnswerError {
  readonly message: string
  readonly locations?: unknown
  readonly path?: unknown
  readonly extensions: Readonly<Record<string, unknown>>
}

export interface GraphqlAnswer {
  readonly status: number
  readonly body: { readonly errors?: readonly AnswerError[]; readonly data?: unknown }
}

export function graphqlAnswer(
  result: ExecutionResult,
  type: AnswerType,
  logger: Pick<Logger, "error">,
): GraphqlAnswer {
  const errors = result.errors?.map((error) => described(error, logger))
  const hasData = result.data !== undefined && result.data !== null
  return {
    // Only the newer type says with its status that there is no data; clients of the other one expect 200.
    status: hasData || type === "application/json" ? 200 : 400,
    body: { ...(errors ? { errors } : {}), ...(result.data === undefined ? {} : { data: result.data }) },
  }
}

/** Of the whole operation. */
export const refusedAnswer = ({ status, code, message, details }: Refusal, type: AnswerType): GraphqlAnswer => ({
  status: type === "application/json" && graphErrors.includes(code) ? 200 : status,
  body: { errors: [{ message, extensions: { code, ...details } }] },
})

/** About the operation, not about the request that brought it. */
const graphErrors = ["QUERY_TOO_COMPLEX", "QUERY_TOO_LARGE", "OPERATION_NOT_SUPPORTED"]

function described(error: GraphQLError, logger: Pick<Logger, "error">): AnswerError {
  const { locations, path } = error
  const { message, code, details } = refusalOfField(error, logger)
  return {
    message,
    ...(locations ? { locations } : {}),
    ...(path ? { path } : {}),
    extensions: { code, ...details },
  }
}

function refusalOfField(error: GraphQLError, logger: Pick<Logger, "error">): Omit<Refusal, "status"> {
  const { originalError: cause, message, extensions } = error
  // Ours are wrapped; the others are about the document or its values.
  if (!cause || cause.name === "GraphQLError")
    return { message, code: String(extensions["code"] ?? "BAD_USER_INPUT"), details: {} }
  const known = refusalOf(cause)
  if (known) return known
  logger.error({ error: cause }, "a field of a GraphQL operation failed")
  return { message: "this field failed; the log says why", code: "INTERNAL", details: {} }
}
