// Announces new heads by eth_subscribe over a WebSocket that is reopened whenever it closes. These are hints: the head
// follower fetches the announced head itself, and polls while no socket is live.

import { describeError } from "../../../platform/errors.js"
import type { HeadersByHost, ProxySettings } from "../../../platform/rpc-access.js"
import type { RuntimeDeps } from "../../../platform/service.js"
import type { ChainHead, HeadWatch } from "../../../source/block-source.js"
import { isLoopback, proxyAgent } from "../../../source/http-dispatch.js"
import { providerLabels, scrubText } from "../../../source/provider-url.js"
import { isObject } from "./block-json.js"
import { isFixedHex, quantityValue } from "./hex-text.js"
import { decimalText } from "./rpc-pool.js"

export interface HeadWatchOptions {
  /** ws:// or wss://, in order of preference. */
  readonly wsUrls: readonly string[]
  readonly rpcHeaders?: HeadersByHost | undefined
  readonly proxy?: ProxySettings | undefined
  /** Decimal text. A socket on another chain is closed. */
  readonly expectedChainId?: string | undefined
  /** A socket that was silent for this long is closed and reopened. */
  readonly idleTimeoutMs?: number | undefined
}

const maxReconnectMs = 30_000
const chainIdCall = 1
const subscribeCall = 2

export class EvmHeadWatch implements HeadWatch {
  readonly #deps: RuntimeDeps
  readonly #expectedChainId: string | undefined
  readonly #options: HeadWatchOptions
  readonly #urls: readonly string[]
  readonly #idleTimeoutMs: number
  readonly #stop = new AbortController()
  #loop: Promise<void> | undefined
  #live = false
  #lastAnnounced: string | undefined

  constructor(deps: RuntimeDeps, options: HeadWatchOptions) {
    this.#deps = deps
    this.#options = options
    this.#expectedChainId = options.expectedChainId
    this.#urls = options.wsUrls
    this.#idleTimeoutMs = options.idleTimeoutMs ?? 30_000
  }

  get live(): boolean {
    return this.#live
  }

  start(onHead: (head: ChainHead) => void): void {
    if (this.#loop !== undefined) return
    const announce = (head: ChainHead) => {
      if (this.#stop.signal.aborted || this.#lastAnnounced === head.hash) return
      this.#lastAnnounced = head.hash
      onHead(head)
    }
    if (this.#urls.length > 0) this.#loop = this.#subscribe(announce)
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error("the watch was stopped"))
    await this.#loop
  }

  async #subscribe(announce: (head: ChainHead) => void): Promise<void> {
    const { clock, random, logger } = this.#deps
    const { signal } = this.#stop
    const labels = providerLabels(this.#urls)
    for (let failures = 0, at = 0; !signal.aborted; at = (at + 1) % this.#urls.length) {
      const url = this.#urls[at]!
      const { served, reason } = await this.#listen(url, announce)
      this.#live = false
      if (signal.aborted) return
      failures = served ? 0 : failures + 1
      const why = scrubText(reason, url, this.#options.rpcHeaders?.[new URL(url).host])
      logger.warn({ provider: labels[at], reason: why }, "head subscription ended; polling the head until it is back")
      const backoffMs = Math.min(250 * 2 ** Math.min(failures, 10), maxReconnectMs)
      await clock.sleep(backoffMs * (0.5 + random.next()), signal)
    }
  }

  /** One connection, until it ends. */
  async #listen(
    url: string,
    announce: (head: ChainHead) => void,
  ): Promise<{ readonly served: boolean; readonly reason: string }> {
    const { clock } = this.#deps
    // Loaded here because it is slow to load, and most threads do not use it.
    const { WebSocket } = await import("undici")
    if (this.#stop.signal.aborted) return { served: false, reason: "stopped" }
    return new Promise((resolve) => {
      const { rpcHeaders = {}, proxy } = this.#options
      const headers = rpcHeaders[new URL(url).host]
      const dispatcher = proxy && !isLoopback(new URL(url)) ? proxyAgent(proxy) : undefined
      const socket = new WebSocket(url, { ...(headers ? { headers } : {}), ...(dispatcher ? { dispatcher } : {}) })
      const over = new AbortController()
      let served = false
      let subscribed = false
      let lastMessageAt = clock.monotonic()
      const end = (reason: string) => {
        if (over.signal.aborted) return
        over.abort()
        this.#stop.signal.removeEventListener("abort", onStop)
        socket.close()
        void dispatcher?.destroy()
        resolve({ served, reason })
      }
      const onStop = () => end("stopped")
      this.#stop.signal.addEventListener("abort", onStop, { once: true })
      const send = (id: number, method: string, params: readonly unknown[]) =>
        socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
      socket.addEventListener("open", () => send(chainIdCall, "eth_chainId", []))
      socket.addEventListener("message", (event) => {
        lastMessageAt = clock.monotonic()
        const message = parseMessage(event.data)
        if (message?.["id"] === chainIdCall && !subscribed) {
          const chainId = decimalText(message["result"])
          if (this.#expectedChainId !== undefined && chainId !== this.#expectedChainId) {
            return end(`it is on chain ${chainId}, expected ${this.#expectedChainId}`)
          }
          subscribed = true
          send(subscribeCall, "eth_subscribe", ["newHeads"])
        }
        if (message?.["id"] === subscribeCall && typeof message["result"] !== "string") {
          return end("the subscription was refused")
        }
        const head = headOf(message)
        if (head === undefined) return
        served = true
        this.#live = true
        announce(head)
      })
      socket.addEventListener("close", (event) => end(`closed with code ${event.code}`))
      socket.addEventListener("error", (event) => end(describeError(event.error ?? "connection failed")))
      void this.#watchIdle(over.signal, () => {
        const silentMs = clock.monotonic() - lastMessageAt
        if (silentMs > this.#idleTimeoutMs) end(`silent for ${Math.round(silentMs)} ms`)
        // On a quiet chain the socket may be alive: any answer shows that it is. A closed one ends by its event.
        else if (silentMs > this.#idleTimeoutMs / 3 && socket.readyState === WebSocket.OPEN) {
          send(chainIdCall, "eth_chainId", [])
        }
      })
    })
  }

  async #watchIdle(signal: AbortSignal, check: () => void): Promise<void> {
    while (!signal.aborted) {
      await this.#deps.clock.sleep(this.#idleTimeoutMs / 6, signal)
      if (!signal.aborted) check()
    }
  }
}

function parseMessage(data: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof data !== "string") return undefined
  try {
    const parsed: unknown = JSON.parse(data)
    return isObject(parsed) ? parsed : undefined
  } catch {
    // Ignored: the idle timeout closes sockets that send nothing else.
    return undefined
  }
}

function headOf(message: Readonly<Record<string, unknown>> | undefined): ChainHead | undefined {
  if (message?.["method"] !== "eth_subscription") return undefined
  const result = (message["params"] as { result?: unknown } | undefined)?.result
  if (!isObject(result)) return undefined
  const { hash } = result
  const height = quantityValue(result["number"])
  return height >= 0 && isFixedHex(hash, 32) ? { height, hash, finalizedHeight: null } : undefined
}
