// A provider with the limits that real ones have, in front of a synthetic chain: real HTTP, and a clock of the test. It counts
// which calls it answered and which it refused.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type Listening, listen } from "../support/listen.js"
import { type ChainView, RpcError, rpcMethods } from "./rpc-methods.js"
import type { Chain } from "./synthetic-chain.js"

interface RateRule {
  readonly callsPerSecond: number
  /** What may be saved up. A second's calls by default. */
  readonly burst?: number
  /** entry: each call over the limit is refused. request: the whole request, when one call of it is. */
  readonly refuses: "entry" | "request"
  readonly error: { readonly code: number; readonly message: string }
  /** For whole requests; 200 by default. */
  readonly httpStatus?: number
  readonly retryAfterS?: number
}

export interface ProviderRules {
  readonly rate?: RateRule
  /** 1: no batches at all. */
  readonly maxBatch?: number
  /** Of a batch's answer: calls beyond it are answered with -32003, as by Geth. */
  readonly maxBatchBytes?: number
  /** Blocks below are pruned. */
  readonly prunedBelow?: number
  /** How far each node behind the load balancer is behind the head; they take turns. */
  readonly lags?: readonly number[]
  /** How eth_getBlockReceipts is refused. */
  readonly receiptsError?: { readonly code: number; readonly message: string }
  /** For each request. */
  readonly latencyMs?: number
}

export interface SimulatedProvider extends Listening {
  /** Calls that were answered with a result, null included. */
  answered: number
  /** Those among them that it had not answered before. */
  useful: number
  refused: number
  requests: number
  /** Requests that have come and are not answered yet. */
  open: number
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

export interface SimulatedProviderOptions {
  readonly chain: Chain
  readonly rules: ProviderRules
  /** Seconds. */
  readonly now: () => number
}

export async function startSimulatedProvider(options: SimulatedProviderOptions): Promise<SimulatedProvider> {
  const behaviour = new Behaviour(options)
  const { latencyMs = 0 } = options.rules
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    provider.open++
    provider.requests++
    response.once("close", () => provider.open--)
    void readText(request).then((text) => {
      const answer = behaviour.answer(text, provider)
      if (latencyMs > 0) setTimeout(() => send(response, answer), latencyMs)
      else send(response, answer)
    })
  })
  const provider: SimulatedProvider = {
    ...(await listen(server)),
    ...{ answered: 0, useful: 0, refused: 0, requests: 0, open: 0 },
  }
  return provider
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length, ...headers })
  response.end(body)
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

type Counts = Pick<SimulatedProvider, "answered" | "useful" | "refused" | "requests">

class Behaviour {
  readonly #options: SimulatedProviderOptions
  readonly #burst: number
  readonly #asked = new Set<string>()
  #saved: number
  #savedAt: number

  constructor(options: SimulatedProviderOptions) {
    this.#options = options
    const { rate } = options.rules
    this.#burst = rate?.burst ?? rate?.callsPerSecond ?? 0
    this.#saved = this.#burst
    this.#savedAt = options.now()
  }

  answer(text: string, counts: Counts): Answer {
    const { maxBatch, rate } = this.#options.rules
    const parsed = JSON.parse(text) as Call | Call[]
    const calls = Array.isArray(parsed) ? parsed : [parsed]
    if (maxBatch !== undefined && calls.length > maxBatch) {
      counts.refused += calls.length
      const message = maxBatch === 1 ? "invalid request" : `batches of up to ${maxBatch} calls only`
      return answerOf({ jsonrpc: "2.0", id: null, error: { code: -32600, message } })
    }
    if (rate?.refuses === "request" && !this.#take(calls.length)) {
      counts.refused += calls.length
      const retryAfter = rate.retryAfterS === undefined ? {} : { "retry-after": String(rate.retryAfterS) }
      return answerOf({ jsonrpc: "2.0", id: null, error: rate.error }, rate.httpStatus ?? 200, retryAfter)
    }
    const view = this.#view(counts.requests)
    let bytes = 0
    const entries = calls.map((call) => {
      const entry = this.#one(call, view, bytes)
      bytes += entry.length
      if (entry.includes('"error":{')) counts.refused++
      else this.#answered(call, counts)
      return entry
    })
    return { status: 200, headers: {}, body: Array.isArray(parsed) ? asList(entries) : entries[0]! }
  }

  #answered({ method, params }: Call, counts: Counts): void {
    counts.answered++
    const asked = `${method} ${JSON.stringify(params)}`
    if (this.#asked.has(asked)) return
    this.#asked.add(asked)
    counts.useful++
  }

  #view(request: number): ChainView {
    const { chain, rules } = this.#options
    const { lags = [0] } = rules
    const head = chain.options.blocks - lags[request % lags.length]!
    return { chain, head, finalized: Math.max(0, chain.options.blocks - 64) }
  }

  #one({ id, method, params }: Call, view: ChainView, bytesBefore: number): Buffer {
    const { rate, maxBatchBytes, prunedBelow = 0, receiptsError } = this.#options.rules
    const refuse = (error: { readonly code: number; readonly message: string }) =>
      Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, error }))
    if (rate?.refuses === "entry" && !this.#take(1)) return refuse(rate.error)
    if (method === "eth_getBlockReceipts" && receiptsError !== undefined) return refuse(receiptsError)
    const height =
      typeof params[0] === "string" && /^0x[0-9a-f]{1,12}$/.test(params[0]) ? Number(params[0]) : undefined
    if (height !== undefined && height > 0 && height < prunedBelow) {
      return refuse({ code: 4444, message: "pruned history unavailable" })
    }
    try {
      const result = rpcMethods[method]!(view, params)
      if (maxBatchBytes !== undefined && bytesBefore > 0 && bytesBefore + result.length > maxBatchBytes) {
        return refuse({ code: -32003, message: "response too large" })
      }
      return Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`), result, Buffer.from("}")])
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      return refuse(error)
    }
  }

  /** A bucket that fills with time. */
  #take(calls: number): boolean {
    const now = this.#options.now()
    this.#saved = Math.min(this.#burst, this.#saved + (now - this.#savedAt) * this.#options.rules.rate!.callsPerSecond)
    this.#savedAt = now
    // A little less than a call: what is added up in steps is not exact.
    if (this.#saved < calls - 1e-6) return false
    this.#saved -= calls
    return true
  }
}

const answerOf = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer => ({
  ...{ status, headers },
  body: Buffer.from(JSON.stringify(value)),
})

function asList(entries: readonly Buffer[]): Buffer {
  const pieces = entries.flatMap((entry, at) => [Buffer.from(at === 0 ? "[" : ","), entry])
  return Buffer.concat([...pieces, Buffer.from("]")])
}
