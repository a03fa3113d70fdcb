// What a client is told of an error: its status, a code and a message, and never more. Undefined: a bug of ours, which the
// log is told instead.

import { isIndexerError } from "../platform/errors.js"
import { scrubText } from "../platform/scrub.js"
import { isPoolExhausted, sqlStateOf } from "../postgres/postgres-error.js"
import { RequestError } from "../queries/request-error.js"

export interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

const statementTimeout = "57014"

/** More is asked of this process than it can answer at once; the databases are well. */
const overloaded: Refusal = {
  status: 429,
  code: "OVERLOADED",
  message: "this server has more requests than it can answer: ask again in a moment",
  details: {},
}

export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof RequestError) {
    const { statusCode: status, code, message, details } = error
    return { status, code, message, details }
  }
  const { statusCode: status = 500, message } = error as { statusCode?: number; message: string }
  if (isPoolExhausted(error)) return overloaded
  if (status === 429) return { status, code: "RATE_LIMITED", message, details: {} }
  if (status < 500) return { status, code: "BAD_REQUEST", message, details: {} }
  if (sqlStateOf(error) === statementTimeout) {
    const slow = "this takes too long: ask for fewer heights, or with a filter that is indexed"
    return { status: 422, code: "QUERY_TOO_LARGE", message: slow, details: {} }
  }
  if (isIndexerError(error) && error.action === "retry")
    return { status: 503, code: error.code, message: scrubText(error.message), details: {} }
  return undefined
}
