// POST requests to one URL over kept-alive connections, each answer as one Buffer. A timeout, an abort or an answer
// over the limit destroys the request on its socket: nothing arrives after the promise has settled.

import { createRequire } from "node:module"
import type { Pool } from "undici"
import type { Clock } from "../platform/clock.js"
import { IndexerError } from "../platform/errors.js"
import type { BufferPool } from "./buffer-pool.js"
import { decodedOrSame } from "./provider-url.js"

export interface HttpEndpointOptions {
  readonly url: string
  readonly connections: number
  readonly maxResponseBytes: number
  /** Provides the memory of answers. */
  readonly buffers: BufferPool
}

export interface HttpAnswer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: Buffer
}

export interface PostOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

type HttpPool = Pick<Pool, "dispatch" | "destroy">

// Only undici's pool: all of undici takes three times as long to load, in every thread. It can `dispatch` requests;
// `request` and similar methods need the rest.
const HttpPool = createRequire(import.meta.url)("undici/lib/dispatcher/pool.js") as new (
  ...options: ConstructorParameters<typeof Pool>
) => HttpPool

export class HttpEndpoint {
  readonly #clock: Clock
  readonly #pool: HttpPool
  readonly #path: string
  readonly #headers: Record<string, string>
  readonly #maxResponseBytes: number
  readonly #buffers: BufferPool

  constructor(deps: { readonly clock: Clock }, options: HttpEndpointOptions) {
    const url = new URL(options.url)
    this.#clock = deps.clock
    this.#maxResponseBytes = options.maxResponseBytes
    this.#buffers = options.buffers
    this.#path = url.pathname + url.search
    this.#headers = { "content-type": "application/json", accept: "application/json" }
    if (url.username !== "" || url.password !== "") {
      const pair = `${decodedOrSame(url.username)}:${decodedOrSame(url.password)}`
      this.#headers["authorization"] = `Basic ${Buffer.from(pair).toString("base64")}`
    }
    this.#pool = new HttpPool(url.origin, {
      connections: options.connections,
      pipelining: 1,
      // `timeoutMs` covers connecting, waiting and reading.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 30_000,
    })
  }

  post(body: string, options: PostOptions): Promise<HttpAnswer> {
    const { signal, timeoutMs } = options
    const limit = this.#maxResponseBytes
    const pool = this.#buffers
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const timer = new AbortController()
      let abortRequest: ((reason: Error) => void) | undefined
      let settled = false
      const settle = (): boolean => {
        if (settled) return false
        settled = true
        timer.abort()
        signal.removeEventListener("abort", onAbort)
        return true
      }
      const fail = (error: unknown) => {
        if (!settle()) return
        abortRequest?.(error instanceof Error ? error : new Error("aborted"))
        reject(error)
      }
      const onAbort = () => fail(signal.reason)
      signal.addEventListener("abort", onAbort, { once: true })
      void this.#clock.sleep(timeoutMs, timer.signal).then(() => {
        if (!settled) fail(new IndexerError("RPC_TIMEOUT", `no complete answer within ${timeoutMs} ms`))
      })

      let status = 0
      let retryAfter: string | undefined
      let whole: Buffer | undefined
      let chunks: Buffer[] = []
      let received = 0
      const tooLarge = () =>
        fail(
          new IndexerError(
            "RPC_RESPONSE_TOO_LARGE",
            `the answer is larger than the limit of ${limit} bytes; fewer blocks are requested at once`,
          ),
        )
      this.#pool.dispatch(
        { path: this.#path, method: "POST", headers: this.#headers, body },
        {
          onRequestStart(controller) {
            abortRequest = (reason) => controller.abort(reason)
            if (settled) controller.abort(new Error("aborted"))
          },
          onResponseStart(_controller, statusCode, headers) {
            if (statusCode < 200) return
            status = statusCode
            retryAfter = typeof headers["retry-after"] === "string" ? headers["retry-after"] : undefined
            const length = Number(headers["content-length"] ?? Number.NaN)
            if (length > limit) tooLarge()
            else if (length > 0) whole = pool.take(length)
          },
          onResponseData(_controller, chunk) {
            if (settled) return
            received += chunk.length
            if (received > limit) tooLarge()
            else if (whole !== undefined && received <= whole.length) {
              whole.set(chunk, received - chunk.length)
            } else chunks.push(chunk)
          },
          onResponseEnd() {
            if (!settle()) return
            const answer = whole !== undefined ? whole.subarray(0, received) : Buffer.concat(chunks, received)
            chunks = []
            resolve({ status, retryAfter, body: answer })
          },
          onResponseError(_controller, error) {
            const code = (error as { code?: unknown }).code
            const what = typeof code === "string" ? code : error.name
            fail(new IndexerError("RPC_UNREACHABLE", `the connection failed (${what})`, { data: { what } }))
          },
        },
      )
    })
  }

  close(): Promise<void> {
    return this.#pool.destroy()
  }
}
