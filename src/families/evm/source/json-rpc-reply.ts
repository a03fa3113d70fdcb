// The reply to a batch of calls, parsed only on demand: until then it is one Buffer off the heap. Parsing puts the
// answers in the order of the calls. A reply with missing, duplicate or unknown ids is a bad response.

import { isAscii } from "node:buffer"
import { IndexerError } from "../../../platform/errors.js"
import type { BufferPool } from "../../../source/buffer-pool.js"
import { parseExactJson } from "./exact-json.js"

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export interface RpcCallError {
  /** The JSON-RPC code, null when the node gave none. */
  readonly code: number | null
  readonly message: string
  /** Of a call that reverted: what the contract returned. */
  readonly data?: string
}

export interface RpcAnswer {
  readonly value: unknown
  readonly error: RpcCallError | null
}

export interface ReplyPart {
  readonly body: Buffer
  /** Positions of the calls that were sent in this request, in the order of their ids, which count from 1. */
  readonly asked: readonly number[]
  /** The answer split into its entries, where it has the usual form. */
  readonly entries: readonly Buffer[] | undefined
}

/** Pure ASCII, as nearly all replies are, is parsed about twice as fast from a one-byte string. */
export const bodyText = (body: Buffer): string => body.toString(isAscii(body) ? "latin1" : "utf8")

/** The error of a call is short; so are few results. */
export const maxErrorBytes = 1_024

export class RpcReply {
  readonly provider: string
  readonly calls: readonly RpcCall[]
  readonly bytes: number
  /** A call that was refused for now was asked again: its last answer counts. */
  readonly #parts: readonly ReplyPart[]
  readonly #buffers: BufferPool | undefined
  /** By call, the part with its answer; undefined where there is one part. */
  #places: readonly ReplyPart[] | undefined
  #whole: RpcAnswer[] | undefined

  constructor(provider: string, calls: readonly RpcCall[], parts: readonly ReplyPart[], buffers?: BufferPool) {
    this.provider = provider
    this.#buffers = buffers
    this.calls = calls
    this.#parts = parts
    this.bytes = parts.reduce((sum, part) => sum + part.body.length, 0)
  }

  /** Releases the memory. The reply must not be read afterwards. */
  release(): void {
    for (const { body } of this.#parts) this.#buffers?.give(body)
  }

  /** The answer to one call. Parses only that one if the reply has the usual form. Throws RPC_BAD_RESPONSE. */
  answer(call: number): RpcAnswer {
    if (this.#whole !== undefined) return this.#whole[call]!
    const alone = this.#answerAlone(call)
    if (alone !== undefined) return alone
    this.#whole = this.read()
    return this.#whole[call]!
  }

  /** The answer to one call if it is as short as an error: a look that costs nothing. */
  shortAnswer(call: number): RpcAnswer | undefined {
    return this.#answerAlone(call, maxErrorBytes)
  }

  #answerAlone(call: number, maxBytes = Number.POSITIVE_INFINITY): RpcAnswer | undefined {
    const part = this.#partOf(call)
    const at = this.#parts.length === 1 ? call : part.asked.indexOf(call)
    const entry = part.asked.length === 1 ? part.body : part.entries?.[at]
    if (entry === undefined || entry.length > maxBytes) return undefined
    try {
      const item: unknown = JSON.parse(bodyText(entry))
      if (answerId(item) === at + 1) return readAnswer(item)
    } catch {
      // Split in the wrong place, or damaged: parsing the whole reply decides.
    }
    return undefined
  }

  #partOf(call: number): ReplyPart {
    if (this.#parts.length === 1) return this.#parts[0]!
    if (this.#places === undefined) {
      const places = new Array<ReplyPart>(this.calls.length)
      for (const part of this.#parts) for (const asked of part.asked) places[asked] = part
      this.#places = places
    }
    return this.#places[call]!
  }

  /** One answer per call, in their order. Throws RPC_BAD_RESPONSE. */
  read(): RpcAnswer[] {
    return this.#read((body) => JSON.parse(bodyText(body)))
  }

  /** As read, but with ExactNumber for numbers that a double cannot hold. Slow. */
  readExact(): RpcAnswer[] {
    return this.#read((body) => parseExactJson(bodyText(body)))
  }

  #read(parse: (body: Buffer) => unknown): RpcAnswer[] {
    const answers = new Array<RpcAnswer>(this.calls.length)
    for (const { body, asked } of this.#parts) {
      let parsed: unknown
      try {
        parsed = parse(body)
      } catch {
        throw badResponse(`the answer of ${this.provider} is no JSON (${body.length} bytes)`)
      }
      const own = placeAnswers(parsed, asked.length, this.provider)
      for (const [at, call] of asked.entries()) answers[call] = own[at]!
    }
    return answers
  }
}

const badResponse = (message: string): IndexerError => new IndexerError("RPC_BAD_RESPONSE", message)

/** The answers of one request, in the order of its calls. */
function placeAnswers(parsed: unknown, count: number, provider: string): RpcAnswer[] {
  if (count === 1 && !Array.isArray(parsed)) {
    const answer = readAnswer(parsed)
    const id = answerId(parsed)
    // An error may have no id. A result with another id belongs to another call.
    if (answer === undefined || (answer.error === null ? id !== 1 : id !== 1 && id !== null)) {
      throw badResponse(`the answer of ${provider} is no JSON-RPC response to the call`)
    }
    return [answer]
  }
  if (!Array.isArray(parsed)) throw badResponse(`${provider} answered a batch with something other than a list`)
  const answers = new Array<RpcAnswer | undefined>(count).fill(undefined)
  for (const item of parsed) {
    const answer = readAnswer(item)
    const id = answerId(item)
    if (answer === undefined || id === null || !Number.isInteger(id) || id < 1 || id > count) {
      throw badResponse(`${provider} answered a batch with an entry that belongs to no call`)
    }
    if (answers[id - 1] !== undefined) throw badResponse(`${provider} answered one call of a batch twice`)
    answers[id - 1] = answer
  }
  if (answers.includes(undefined)) throw badResponse(`${provider} left calls of a batch without an answer`)
  return answers as RpcAnswer[]
}

export function answerId(item: unknown): number | null {
  if (typeof item !== "object" || item === null) return null
  const id = (item as { id?: unknown }).id
  if (typeof id === "number") return id
  // Some nodes return ids as text.
  return typeof id === "string" && id.length > 0 && id.length < 8 ? Number(id) : null
}

/** undefined when the item is no JSON-RPC response. */
export function readAnswer(item: unknown): RpcAnswer | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return undefined
  const { error, result } = item as { error?: unknown; result?: unknown }
  if (error !== undefined && error !== null) return { value: undefined, error: readError(error) }
  return result === undefined ? undefined : { value: result, error: null }
}

function readError(error: unknown): RpcCallError {
  if (typeof error !== "object" || error === null) return { code: null, message: String(error) }
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown }
  return {
    ...(typeof data === "string" ? { data } : {}),
    code: typeof code === "number" ? code : typeof code === "string" && code !== "" ? Number(code) : null,
    message: typeof message === "string" ? message : "",
  }
}
