// One provider: JSON-RPC batches over one URL, within its shared limits, with typed errors. Calls that the provider
// refuses for now, out of a batch that it answers, are asked again more slowly; batches that it refuses get smaller.
// Everything else is retried by the pool.

import type { Clock } from "../../../platform/clock.js"
import { IndexerError, isIndexerError } from "../../../platform/errors.js"
import type { Random } from "../../../platform/random.js"
import type { ProxySettings } from "../../../platform/rpc-access.js"
import { BatchLimit } from "../../../source/batch-limit.js"
import type { FetchOptions } from "../../../source/block-source.js"
import { BufferPool } from "../../../source/buffer-pool.js"
import { CircuitBreaker, type CircuitOptions, defaultCircuit } from "../../../source/circuit-breaker.js"
import { HttpEndpoint } from "../../../source/http-endpoint.js"
import { scrubText } from "../../../source/provider-url.js"
import { PrunedHeights } from "../../../source/pruned-heights.js"
import type { RpcCounters } from "../../../source/rpc-counters.js"
import { type Permit, SharedLimit, type SharedLimitHandle } from "../../../source/shared-limit.js"
import { checkAnswer } from "./check-answer.js"
import { type ReplyPart, type RpcAnswer, type RpcCall, type RpcCallError, RpcReply } from "./json-rpc-reply.js"
import { ReceiptsMethod } from "./receipts-method.js"
import { refusalKind } from "./refusals.js"
import { type RefusedEntry, refusedEntries } from "./refused-entries.js"
import { splitBatch } from "./split-batch.js"

export interface JsonRpcClientOptions {
  readonly url: string
  readonly label: string
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly proxy?: ProxySettings | undefined
  readonly compressed?: boolean | undefined
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
/** Refused as a whole so often after parts of the calls were answered: the pool decides what to do. */
const maxRefusedInARow = 5
/** A longer wait is for the pool, which may have another provider. */
const maxWaitHereMs = 5_000

export class JsonRpcClient {
  readonly label: string
  readonly breaker: CircuitBreaker
  readonly receipts: ReceiptsMethod
  readonly pruned: PrunedHeights
  lastError: string | null = null
  lastErrorAtMs: number | null = null
  /** Removes the secrets of the URL and the headers. */
  readonly #scrub: (text: string) => string
  readonly #clock: Clock
  readonly #counters: RpcCounters
  readonly #limit: SharedLimit
  readonly #batches: BatchLimit
  readonly #http: HttpEndpoint
  readonly #buffers = new BufferPool(keptBufferBytes)
  readonly #timeoutMs: number

  constructor(deps: JsonRpcClientDeps, options: JsonRpcClientOptions) {
    this.label = options.label
    this.breaker = new CircuitBreaker(deps, options.circuit ?? defaultCircuit)
    this.receipts = new ReceiptsMethod(deps)
    this.pruned = new PrunedHeights(deps)
    this.#batches = new BatchLimit(deps)
    this.#scrub = (text) => scrubText(text, options.url, options.headers)
    this.#clock = deps.clock
    this.#counters = deps.counters
    this.#limit = new SharedLimit(deps, options.limit)
    this.#timeoutMs = options.timeoutMs ?? defaultTimeoutMs
    this.#http = new HttpEndpoint(deps, {
      url: options.url,
      headers: options.headers,
      proxy: options.proxy,
      compressed: options.compressed,
      connections: options.connections ?? 32,
      maxResponseBytes: options.maxResponseBytes ?? defaultMaxResponseBytes,
      buffers: this.#buffers,
    })
  }

  /** For how much longer the provider gets no request from any thread, because it refused one. */
  get pausedMs(): number {
    return Math.max(0, this.#limit.rate.pausedUntilMs - this.#clock.now())
  }

  /** Sends the calls, in one request if the node allows it. The reply is not parsed: it may hold errors of calls. */
  async post(calls: readonly RpcCall[], options: FetchOptions): Promise<RpcReply> {
    const parts: ReplyPart[] = []
    let open: readonly number[] = calls.map((_, at) => at)
    let refusedInARow = 0
    while (open.length > 0) {
      const permit = await this.#permit(open.length, options)
      const asked = open.slice(0, permit.cost)
      try {
        const { part, refused } = await this.#send(calls, asked, { permit, signal: options.signal })
        parts.push(part)
        open = [...refused.map(({ call }) => call), ...open.slice(asked.length)]
        refusedInARow = 0
      } catch (error) {
        if (!isIndexerError(error)) throw error
        const isTooLong = asked.length > 1 && error.data["refusedBatch"] === true
        const isLimited = error.code === "RPC_RATE_LIMITED"
        if (!isTooLong && !(isLimited && this.#waitsHere(parts.length, ++refusedInARow))) throw error
      }
    }
    return new RpcReply(this.label, calls, parts, this.#buffers)
  }

  #waitsHere(answeredParts: number, refusedInARow: number): boolean {
    return answeredParts > 0 && refusedInARow <= maxRefusedInARow && this.pausedMs <= maxWaitHereMs
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
      if (options.errorsAsValues === true && refusalKind(error) !== "rate") continue
      throw this.callError(calls[i]!.method, error)
    }
    return answers
  }

  /** The IndexerError of one call's JSON-RPC error. No code of a node is fatal: unknown ones are retried. */
  callError(method: string, error: RpcCallError): IndexerError {
    const said = `${method} answered error ${error.code ?? "without a code"}: ${this.#scrub(error.message)}`
    const data = { provider: this.label, method, rpcCode: error.code }
    if (refusalKind(error) === "rate") {
      this.#limit.rate.refused({ sentAtMs: this.#clock.now(), calls: 1, answered: 0 })
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
    this.lastError = `${error.code}: ${this.#scrub(error.message)}`
    this.lastErrorAtMs = this.#clock.now()
  }

  close(): Promise<void> {
    return this.#http.close()
  }

  /** For as many of the open calls as one request may have once it may be sent. */
  async #permit(open: number, { signal, urgent }: FetchOptions): Promise<Permit> {
    const cost = () => Math.min(open, this.#batches.calls, this.#limit.rate.maxCalls)
    // The slot is held a little longer than the request can live.
    const leaseMs = this.#timeoutMs + 1000
    const permit = await this.#limit.acquire({ cost, leaseMs, signal, urgent })
    if (permit === undefined) throw signal.reason
    return permit
  }

  async #send(
    calls: readonly RpcCall[],
    asked: readonly number[],
    { permit, signal }: { readonly permit: Permit; readonly signal: AbortSignal },
  ): Promise<{ readonly part: ReplyPart; readonly refused: readonly RefusedEntry[] }> {
    const count = asked.length
    const [startedAt, sentAtMs] = [this.#clock.monotonic(), this.#clock.now()]
    let bytes = 0
    let code = "ok"
    try {
      const answer = await this.#http.post(requestText(calls, asked), { timeoutMs: this.#timeoutMs, signal })
      bytes = answer.body.length
      checkAnswer(answer, {
        ...{ count, nowMs: this.#clock.now() },
        scrub: this.#scrub,
      })
      const { body } = answer
      const part = { body, asked, entries: count > 1 ? splitBatch(body, count) : undefined }
      const refused = this.#refusedOf(part, sentAtMs)
      if (count > 1 && refused.length === 0) this.#batches.accepted(count)
      return { part, refused }
    } catch (error) {
      code = isIndexerError(error) ? error.code : "aborted"
      if (!isIndexerError(error)) throw error
      this.#learn(error, { count, sentAtMs })
      throw this.#named(error, count === 1 ? calls[asked[0]!]!.method : undefined)
    } finally {
      this.#limit.release(permit)
      this.#count(calls, asked, { bytes, code, ms: this.#clock.monotonic() - startedAt })
    }
  }

  /** Before the permit is released: what waits for it is sized by what was learned. */
  #learn(error: IndexerError, { count, sentAtMs }: { readonly count: number; readonly sentAtMs: number }): void {
    const { refusedBatch, httpStatus } = error.data
    const retryAfterMs = error.data["retryAfterMs"] as number | undefined
    if (error.code === "RPC_RATE_LIMITED")
      this.#limit.rate.refused({ sentAtMs, calls: count, answered: 0, retryAfterMs })
    if (count > 1 && refusedBatch === true) this.#batches.refused(count)
    // A call that is refused alone was not refused for the company it was in.
    if (count === 1 && error.action === "retry" && httpStatus !== undefined) this.#batches.forget()
  }

  /** Adapts the limits to entries that were refused. Throws when all were: there is nothing to keep. */
  #refusedOf(part: ReplyPart, sentAtMs: number): readonly RefusedEntry[] {
    const refused = refusedEntries(part)
    const count = part.asked.length
    const answered = count - refused.length
    const [first] = refused
    if (first === undefined) {
      this.#limit.rate.answered(count)
      return refused
    }
    const said = `${refused.length} of ${count} calls were refused (${this.#scrub(first.message)})`
    if (first.kind !== "rate") {
      if (answered === 0) throw new IndexerError("RPC_ERROR", said, { data: { refusedBatch: true } })
      this.#batches.refused(count)
      return refused
    }
    const error = new IndexerError("RPC_RATE_LIMITED", `too many requests: ${said}`)
    if (answered === 0) throw error
    this.#limit.rate.refused({ sentAtMs, calls: count, answered })
    this.noteError(this.#named(error))
    return refused
  }

  #named(error: IndexerError, method?: string): IndexerError {
    return new IndexerError(error.code, `${this.label}: ${error.message}`, {
      data: { ...error.data, ...(method === undefined ? {} : { method }), provider: this.label, counted: true },
    })
  }

  #count(
    calls: readonly RpcCall[],
    asked: readonly number[],
    sample: { readonly bytes: number; readonly code: string; readonly ms: number },
  ): void {
    const perMethod = new Map<string, number>()
    for (const at of asked) {
      const { method } = calls[at]!
      perMethod.set(method, (perMethod.get(method) ?? 0) + 1)
    }
    const { code, bytes, ms } = sample
    const count = asked.length
    for (const [method, n] of perMethod) {
      const share = { calls: n, bytes: (bytes * n) / count, ms: (ms * n) / count }
      this.#counters.add({ provider: this.label, method, code, ...share })
    }
  }
}

function requestText(calls: readonly RpcCall[], asked: readonly number[]): string {
  const requests = asked.map((at, i) => ({ jsonrpc: "2.0", id: i + 1, ...calls[at]! }))
  return JSON.stringify(requests.length > 1 ? requests : requests[0])
}
