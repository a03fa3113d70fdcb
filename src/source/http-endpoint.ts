// POST requests to one URL over kept-alive connections, each answer as one Buffer, decompressed. A timeout, an abort or an
// answer over the limit destroys the request on its socket: nothing arrives after the promise has settled. Redirects are
// followed a few times; another host gets no header that could be a secret.

import type { Clock } from "../platform/clock.js"
import { IndexerError } from "../platform/errors.js"
import type { ProxySettings } from "../platform/rpc-access.js"
import type { BufferPool } from "./buffer-pool.js"
import { acceptedEncodings, decodeBody, tooLarge } from "./decode-body.js"
import { type HttpDispatcher, isLoopback, openDispatcher } from "./http-dispatch.js"
import { decodedOrSame } from "./provider-url.js"

export interface HttpEndpointOptions {
  readonly url: string
  /** Sent with each request to the URL's own host, such as a key. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly proxy?: ProxySettings | undefined
  /** Asks for compressed answers. By default, unless the node is on this machine. */
  readonly compressed?: boolean | undefined
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

interface RawAnswer extends HttpAnswer {
  readonly encoding: string
  readonly location: string | undefined
}

const maxRedirects = 3
const redirectStatuses = new Set([301, 302, 307, 308])

export class HttpEndpoint {
  readonly #clock: Clock
  readonly #url: URL
  readonly #headers: Readonly<Record<string, string>>
  readonly #secretHeaders: Readonly<Record<string, string>>
  readonly #options: HttpEndpointOptions
  /** By origin: the URL's own, and those that it redirects to. */
  readonly #dispatchers = new Map<string, HttpDispatcher>()

  constructor(deps: { readonly clock: Clock }, options: HttpEndpointOptions) {
    const url = new URL(options.url)
    this.#clock = deps.clock
    this.#options = options
    this.#url = url
    const compressed = options.compressed ?? !isLoopback(url)
    this.#headers = {
      ...{ "content-type": "application/json", accept: "application/json" },
      ...(compressed ? { "accept-encoding": acceptedEncodings } : {}),
    }
    const basic = Buffer.from(`${decodedOrSame(url.username)}:${decodedOrSame(url.password)}`).toString("base64")
    const hasUser = url.username !== "" || url.password !== ""
    this.#secretHeaders = { ...(hasUser ? { authorization: `Basic ${basic}` } : {}), ...options.headers }
  }

  async post(body: string, { timeoutMs, signal }: PostOptions): Promise<HttpAnswer> {
    const { maxResponseBytes, buffers } = this.#options
    const endsAt = this.#clock.monotonic() + timeoutMs
    let target = this.#url
    for (let redirects = 0; ; redirects++) {
      const leftMs = redirects === 0 ? timeoutMs : Math.max(1, endsAt - this.#clock.monotonic())
      const answer = await this.#request(target, body, { timeoutMs: leftMs, signal })
      if (!redirectStatuses.has(answer.status) || answer.location === undefined) {
        const decoded = await decodeBody(answer.body, answer.encoding, maxResponseBytes)
        signal.throwIfAborted()
        return { ...answer, body: decoded === answer.body ? decoded : pooled(decoded, buffers) }
      }
      buffers.give(answer.body)
      if (redirects === maxRedirects) throw badRedirect(`more than ${maxRedirects} redirects`)
      target = redirected(target, answer.location)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#dispatchers.values()].map((dispatcher) => dispatcher.destroy()))
  }

  #dispatcher(target: URL): HttpDispatcher {
    const known = this.#dispatchers.get(target.origin)
    if (known !== undefined) return known
    // The node's own connection is the first, and stays.
    const [, oldest] = this.#dispatchers.keys()
    if (this.#dispatchers.size > maxRedirects && oldest !== undefined) {
      void this.#dispatchers.get(oldest)?.destroy()
      this.#dispatchers.delete(oldest)
    }
    const opened = openDispatcher(target, this.#options)
    this.#dispatchers.set(target.origin, opened)
    return opened
  }

  #request(target: URL, body: string, { timeoutMs, signal }: PostOptions): Promise<RawAnswer> {
    const { maxResponseBytes: limit, buffers: pool } = this.#options
    const headers = keepsSecrets(this.#url, target) ? { ...this.#headers, ...this.#secretHeaders } : this.#headers
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
        if (!settled) fail(new IndexerError("RPC_TIMEOUT", `no complete answer within ${Math.ceil(timeoutMs)} ms`))
      })

      let status = 0
      let head: Pick<RawAnswer, "retryAfter" | "encoding" | "location"> | undefined
      let whole: Buffer | undefined
      let chunks: Buffer[] = []
      let received = 0
      this.#dispatcher(target).dispatch(
        { origin: target.origin, path: target.pathname + target.search, method: "POST", headers, body },
        {
          onRequestStart(controller) {
            abortRequest = (reason) => controller.abort(reason)
            if (settled) controller.abort(new Error("aborted"))
          },
          onResponseStart(_controller, statusCode, fields) {
            if (statusCode < 200) return
            status = statusCode
            const text = (name: string) => (typeof fields[name] === "string" ? fields[name] : undefined)
            head = {
              ...{ retryAfter: text("retry-after"), location: text("location") },
              encoding: text("content-encoding") ?? "",
            }
            const length = Number(fields["content-length"] ?? Number.NaN)
            if (length > limit) fail(tooLarge(limit))
            else if (length > 0) whole = pool.take(length)
          },
          onResponseData(_controller, chunk) {
            if (settled) return
            received += chunk.length
            if (received > limit) fail(tooLarge(limit))
            else if (whole !== undefined && received <= whole.length) {
              whole.set(chunk, received - chunk.length)
            } else chunks.push(chunk)
          },
          onResponseEnd() {
            if (!settle()) return
            const answer = whole !== undefined ? whole.subarray(0, received) : Buffer.concat(chunks, received)
            chunks = []
            resolve({ status, ...head!, body: answer })
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
}

/** The same host, also by https where it was http: nobody else gets headers that may be secrets. */
function keepsSecrets(own: URL, target: URL): boolean {
  if (target.origin === own.origin) return true
  return own.hostname === target.hostname && own.port === "" && target.port === "" && target.protocol === "https:"
}

function redirected(from: URL, location: string): URL {
  const target = URL.canParse(location, from.href) ? new URL(location, from) : undefined
  if (target === undefined || !["http:", "https:"].includes(target.protocol)) throw badRedirect("it leads nowhere")
  if (from.protocol === "https:" && target.protocol === "http:") throw badRedirect("it leads from https to http")
  return target
}

const badRedirect = (why: string): IndexerError =>
  new IndexerError("RPC_BAD_RESPONSE", `the redirect is not followed: ${why}; put the final URL into RPC_URL`)

/** Memory of the pool can be used again, that of the decoder cannot. */
function pooled(body: Buffer, buffers: BufferPool): Buffer {
  const copy = buffers.take(body.length)
  copy.set(body)
  return copy
}
