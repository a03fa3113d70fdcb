// One provider: JSON-RPC batches over one URL, within its shared limits, with typed errors. It never retries, except
// that a node that refuses batches gets smaller ones from then on, down to single calls.

import type { Clock } from "../../../platform/clock.js"
import { IndexerError, isIndexerError } from "../../../platform/errors.js"
import type { Random } from "../../../platform/random.js"
import type { FetchOptions } from "../../../source/block-source.js"
import { BufferPool } from "../../../source/buffer-pool.js"
import { CircuitBreaker, type CircuitOptions, defaultCircuit } from "../../../source/circuit-breaker.js"
import { type HttpAnswer, HttpEndpoint } from "../../../source/http-endpoint.js"
import { scrubText } from "../../../source/provider-url.js"
import type { RpcCounters } from "../../../source/rpc-counters.js"
import { SharedLimit, type SharedLimitHandle } from "../../../source/shared-limit.js"
import {
  bodyText,
  type ReplyPart,
  type RpcAnswer,
  type RpcCall,
  type RpcCallError,
  RpcReply,
  readAnswer,
} from "./json-rpc-reply.js"

export interface JsonRpcClientOptions {
  readonly url: string
  readonly label: string
  readonly limit: SharedLimitHandle
  readonly timeoutMs?: number | undefined
  readonly maxResponseBytes?: number | undefined
  readonly connections?: number | undefined
  readonly circuit?: CircuitOptions | undefined
}

export interface JsonRpcClientDeps {
  readonly clock: Clock
  readonly random: Random
  readonly counters: RpcCounters
}

const keptBufferBytes = 8 << 20
const defaultTimeoutMs = 30_000
const defaultMaxResponseBytes = 128 * 1024 * 1024
/** Answers up to this size are parsed at once, so that a refusal is noticed here and not by the consumer. */
const eagerBytes = 16 * 1024
/** A node that refused a batch gets one of twice the size after this time. */
const batchRetryMs = 600_000
/** The pause after "too many requests" when the provider does not say how long. */
const defaultPauseMs = 1000
const maxPauseMs = 60_000

/** JSON-RPC codes for "too many requests" (EIP-1474 and what providers send). */
const rateLimitCodes = new Set([-32005, -32029, 429])
/** HTTP statuses with which nodes and proxies refuse a batch that they would accept as single calls. */
const refusalStatuses = new Set([400, 405, 406, 413, 415, 422, 501])

export class JsonRpcClient {
  readonly label: string
  readonly breaker: CircuitBreaker
  /** Set when the node has no eth_getBlockReceipts. */
  receiptsByTransaction = false
  /** Null receipts seen in a row for blocks that have transactions. */
  nullReceipts = 0
  lastError: string | null = null
  lastErrorAtMs: number | null = null
  /** No request before this monotonic time: the provider asked for a pause. */
  pausedUntil = 0
  readonly #url: string
  readonly #clock: Clock
  readonly #counters: RpcCounters
  readonly #limit: SharedLimit
  readonly #http: HttpEndpoint
  readonly #buffers = new BufferPool(keptBufferBytes)
  readonly #timeoutMs: number
  #maxCalls = Number.POSITIVE_INFINITY
  #maxCallsUntil = 0

  constructor(deps: JsonRpcClientDeps, options: JsonRpcClientOptions) {
    this.label = options.label
    this.breaker = new CircuitBreaker(deps, options.circuit ?? defaultCircuit)
    this.#url = options.url
    this.#clock = deps.clock
    this.#counters = deps.counters
    this.#limit = new SharedLimit(deps, options.limit)
    this.#timeoutMs = options.timeoutMs ?? defaultTimeoutMs
    this.#http = new HttpEndpoint(deps, {
      url: options.url,
      connections: options.connections ?? 32,
      maxResponseBytes: options.maxResponseBytes ?? defaultMaxResponseBytes,
      buffers: this.#buffers,
    })
  }

  /** Sends the calls, in one request if the node allows it. The reply is not parsed: it may hold errors of calls. */
  async post(calls: readonly RpcCall[], options: FetchOptions): Promise<RpcReply> {
    const parts: ReplyPart[] = []
    let first = 0
    while (first < calls.length) {
      const count = Math.min(calls.length - first, this.#batchLimit())
      try {
        parts.push({ body: await this.#send(calls, first, count, options), first, count })
        first += count
      } catch (error) {
        if (count === 1 || !isIndexerError(error) || error.data["refusedBatch"] !== true) throw error
        this.#maxCalls = Math.max(1, Math.floor(count / 2))
        this.#maxCallsUntil = this.#clock.monotonic() + batchRetryMs
      }
    }
    return new RpcReply(this.label, calls, parts, this.#buffers)
  }

  /** Sends the calls and parses the answers. An error of a call throws, unless it is wanted as a value. */
  async call(
    calls: readonly RpcCall[],
    options: FetchOptions & { readonly errorsAsValues?: boolean },
  ): Promise<RpcAnswer[]> {
    const answers = (await this.post(calls, options)).read()
    for (let i = 0; i < answers.length; i++) {
      const { error } = answers[i]!
      if (error === null) continue
      if (options.errorsAsValues === true && !rateLimitCodes.has(error.code ?? 0)) continue
      throw this.callError(calls[i]!.method, error)
    }
    return answers
  }

  /** The IndexerError of one call's JSON-RPC error. No code of a node is fatal: unknown ones are retried. */
  callError(method: string, error: RpcCallError): IndexerError {
    const said = `${method} answered error ${error.code ?? "without a code"}: ${scrubText(error.message, this.#url)}`
    const data = { provider: this.label, method, rpcCode: error.code }
    if (rateLimitCodes.has(error.code ?? 0)) {
      this.pausedUntil = this.#clock.monotonic() + defaultPauseMs
      return new IndexerError("RPC_RATE_LIMITED", `${this.label}: too many requests (${said})`, { data })
    }
    return new IndexerError("RPC_ERROR", `${this.label}: ${said}`, { data })
  }

  /** For status: the last error, without secrets. Errors found in an answer are counted here, once. */
  noteError(error: IndexerError): void {
    if (error.data["counted"] !== true) {
      const { method } = error.data
      const counted = { provider: this.label, code: error.code, calls: 1, bytes: 0, ms: 0 }
      this.#counters.add({ ...counted, method: typeof method === "string" ? method : "answer" })
    }
    this.lastError = `${error.code}: ${scrubText(error.message, this.#url)}`
    this.lastErrorAtMs = this.#clock.now()
  }

  close(): Promise<void> {
    return this.#http.close()
  }

  #batchLimit(): number {
    if (this.#maxCalls !== Number.POSITIVE_INFINITY && this.#clock.monotonic() > this.#maxCallsUntil) {
      this.#maxCalls *= 2
      this.#maxCallsUntil = this.#clock.monotonic() + batchRetryMs
    }
    return this.#maxCalls
  }

  async #send(
    calls: readonly RpcCall[],
    first: number,
    count: number,
    { signal, urgent }: FetchOptions,
  ): Promise<Buffer> {
    // The slot is held a little longer than the request can live.
    const leaseMs = this.#timeoutMs + 1000
    const permit = await this.#limit.acquire({ cost: count, leaseMs, signal, urgent })
    if (permit === undefined) throw signal.reason
    const startedAt = this.#clock.monotonic()
    let bytes = 0
    let code = "ok"
    try {
      const answer = await this.#http.post(requestText(calls, first, count), {
        timeoutMs: this.#timeoutMs,
        signal,
      })
      bytes = answer.body.length
      this.#check(answer, count)
      return answer.body
    } catch (error) {
      code = isIndexerError(error) ? error.code : "aborted"
      throw isIndexerError(error) ? this.#named(error) : error
    } finally {
      this.#limit.release(permit)
      this.#count(calls, first, count, { bytes, code, ms: this.#clock.monotonic() - startedAt })
    }
  }

  /** Throws when the answer is no reply, or refuses the whole batch. */
  #check({ status, body, retryAfter }: HttpAnswer, count: number): void {
    const start = firstByte(body)
    if (status === 200 && (count > 1 ? start === 0x5b : start === 0x7b) && body.length > eagerBytes) return
    const parsed = body.length <= eagerBytes ? parseSmall(body) : undefined
    const whole = readAnswer(Array.isArray(parsed) && parsed.length === 1 && count > 1 ? parsed[0] : parsed)
    if (status === 429 || rateLimitCodes.has(whole?.error?.code ?? 0)) {
      const pauseMs = retryAfterMs(retryAfter, this.#clock.now()) ?? defaultPauseMs
      this.pausedUntil = this.#clock.monotonic() + Math.min(pauseMs, maxPauseMs)
      throw new IndexerError("RPC_RATE_LIMITED", `too many requests; retrying in ${Math.ceil(pauseMs)} ms`, {
        data: { retryAfterMs: pauseMs },
      })
    }
    if (count > 1 && (refusalStatuses.has(status) || (status < 500 && whole?.error))) {
      const said = whole?.error ? scrubText(whole.error.message, this.#url) : `HTTP ${status}`
      throw new IndexerError("RPC_ERROR", `a batch of ${count} calls was refused (${said})`, {
        data: { refusedBatch: true, httpStatus: status },
      })
    }
    // A single call's error in the body says more than the status. It is thrown when the reply is parsed.
    if (count === 1 && whole?.error) return
    if (status >= 500) throw new IndexerError("RPC_UNREACHABLE", `HTTP ${status}`, { data: { httpStatus: status } })
    if (status === 401 || status === 403) {
      throw new IndexerError("RPC_ERROR", `HTTP ${status}: access denied; check the key in the URL`)
    }
    if (status !== 200) throw new IndexerError("RPC_BAD_RESPONSE", `HTTP ${status}`)
    if (count > 1 ? start !== 0x5b : start !== 0x7b && start !== 0x5b) {
      throw new IndexerError("RPC_BAD_RESPONSE", `the answer is no JSON-RPC reply (${body.length} bytes)`)
    }
  }

  #named(error: IndexerError): IndexerError {
    return new IndexerError(error.code, `${this.label}: ${error.message}`, {
      data: { ...error.data, provider: this.label, counted: true },
    })
  }

  #count(
    calls: readonly RpcCall[],
    first: number,
    count: number,
    sample: { readonly bytes: number; readonly code: string; readonly ms: number },
  ): void {
    const perMethod = new Map<string, number>()
    for (let i = first; i < first + count; i++) {
      const { method } = calls[i]!
      perMethod.set(method, (perMethod.get(method) ?? 0) + 1)
    }
    const { code, bytes, ms } = sample
    for (const [method, n] of perMethod) {
      const share = { calls: n, bytes: (bytes * n) / count, ms: (ms * n) / count }
      this.#counters.add({ provider: this.label, method, code, ...share })
    }
  }
}

function requestText(calls: readonly RpcCall[], first: number, count: number): string {
  const requests = calls
    .slice(first, first + count)
    .map(({ method, params }, i) => ({ jsonrpc: "2.0", id: i + 1, method, params }))
  return JSON.stringify(count > 1 ? requests : requests[0])
}

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
