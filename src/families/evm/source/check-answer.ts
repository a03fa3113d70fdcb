// Whether an HTTP answer is a JSON-RPC reply, or refuses the whole request. Looks at the status, the first byte and, where
// it is small, the body: what large ones hold is read by the consumer.

import { IndexerError } from "../../../platform/errors.js"
import type { HttpAnswer } from "../../../source/http-endpoint.js"
import { bodyText, readAnswer } from "./json-rpc-reply.js"
import { refusalKind } from "./refusals.js"

/** Answers up to this size are parsed at once, so that a refusal is noticed here and not by the consumer. */
const eagerBytes = 16 * 1024
/** HTTP statuses with which nodes and proxies refuse a batch that they would accept as single calls. */
const refusalStatuses = new Set([400, 403, 404, 405, 406, 413, 415, 422, 501])

export interface CheckAnswerOptions {
  /** Calls in the request. */
  readonly count: number
  /** By the wall clock. */
  readonly nowMs: number
  readonly scrub: (text: string) => string
}

/** Throws when the answer is no reply, or refuses the whole request (`refusedBatch`: because it is a batch). */
export function checkAnswer(answer: HttpAnswer, { count, nowMs, scrub }: CheckAnswerOptions): void {
  const { status, body, retryAfter } = answer
  const start = firstByte(body)
  if (status === 200 && (count > 1 ? start === openBracket : start === openBrace) && body.length > eagerBytes) return
  const parsed = body.length <= eagerBytes ? parseSmall(body) : undefined
  const error = readAnswer(Array.isArray(parsed) && parsed.length === 1 && count > 1 ? parsed[0] : parsed)?.error
  const { code, message } = error ?? { code: null, message: "" }
  const hasRetryAfter = retryAfter !== undefined
  const kind = status === 200 && !error ? undefined : refusalKind({ httpStatus: status, hasRetryAfter, code, message })
  const said = error ? scrub(error.message) : `HTTP ${status}`
  if (kind === "rate") {
    const waitMs = retryAfterMs(retryAfter, nowMs)
    const wait = waitMs === undefined ? "" : `; it asks to wait ${Math.ceil(waitMs / 1_000)} s`
    throw new IndexerError("RPC_RATE_LIMITED", `too many requests (${said})${wait}`, {
      data: { retryAfterMs: waitMs },
    })
  }
  if (count > 1 && (kind !== undefined || refusalStatuses.has(status) || (status < 500 && error))) {
    throw new IndexerError("RPC_ERROR", `a batch of ${count} calls was refused (${said})`, {
      data: { refusedBatch: true, httpStatus: status },
    })
  }
  // A single call's error in the body says more than the status. It is thrown when the reply is parsed.
  if (count === 1 && error) return
  if (status >= 500) throw new IndexerError("RPC_UNREACHABLE", `HTTP ${status}`, { data: { httpStatus: status } })
  if (status === 401 || status === 403) {
    throw new IndexerError("RPC_ERROR", `HTTP ${status}: access denied; check the key`, {
      data: { httpStatus: status },
    })
  }
  if (status !== 200) throw new IndexerError("RPC_BAD_RESPONSE", `HTTP ${status}`, { data: { httpStatus: status } })
  if (count > 1 ? start !== openBracket : start !== openBrace && start !== openBracket) {
    throw new IndexerError("RPC_BAD_RESPONSE", `the answer is no JSON-RPC reply (${body.length} bytes)`)
  }
}

const openBracket = 0x5b
const openBrace = 0x7b

function firstByte(body: Buffer): number {
  for (let i = 0; i < body.length; i++) {
    const c = body[i]!
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return c
  }
  return -1
}

function parseSmall(body: Buffer): unknown {
  try {
    return JSON.parse(bodyText(body))
  } catch {
    // The status and the first byte decide.
    return undefined
  }
}

/** Seconds or an HTTP date; undefined when absent or unreadable. */
function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - nowMs
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
