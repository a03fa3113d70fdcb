// An EVM node of a synthetic chain: JSON-RPC over HTTP and WebSocket on one port. Tests drive its head, its forks and
// its silence directly; benchmarks run it as a process of its own.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { HeadSubscriptions } from "./head-subscriptions.js"
import { RpcAnswerer, type RpcAnswererOptions } from "./rpc-answerer.js"
import { ServerStats, type StatsSnapshot } from "./server-stats.js"
import type { Chain } from "./synthetic-chain.js"
import { WebSocketPeer } from "./websocket-peer.js"

export interface ChainServerOptions extends Omit<RpcAnswererOptions, "onCall"> {
  readonly host?: string
  /** 0, the default, takes a free one. */
  readonly port?: number
  /** Added to every HTTP answer. */
  readonly latencyMs?: number
  /** The head at start; the chain's end by default. */
  readonly startHead?: number
  /** The head grows by one block each time this passes. 0: it stands still. */
  readonly blockMs?: number
  /** finalized = head - finality. */
  readonly finality?: number
}

export interface ChainServerAddress {
  readonly url: string
  readonly ws: string
}

const maxRequestBytes = 16 * 1024 * 1024

export class ChainServer {
  readonly #options: ChainServerOptions
  readonly #server: Server
  readonly #answerer: RpcAnswerer
  readonly #stats = new ServerStats()
  readonly #subscriptions = new HeadSubscriptions()
  readonly #peers = new Set<WebSocketPeer>()
  #chain: Chain
  #head: number
  #growth: NodeJS.Timeout | undefined
  #paused: { readonly wait: Promise<void>; readonly end: () => void } | undefined

  constructor(chain: Chain, options: ChainServerOptions = {}) {
    this.#options = options
    this.#chain = chain
    this.#head = Math.min(options.startHead ?? chain.options.blocks, chain.options.blocks)
    const view = () => ({
      chain: this.#chain,
      head: this.#head,
      finalized: Math.max(0, this.#head - (options.finality ?? 0)),
    })
    this.#answerer = new RpcAnswerer(view, { ...options, onCall: (method) => this.#stats.called(method) })
    this.#server = createServer({ keepAliveTimeout: 600_000, noDelay: true }, (request, response) => {
      void this.#serve(request, response)
    })
    this.#server.on("upgrade", (request: IncomingMessage, socket: Duplex) => this.#upgrade(request, socket))
  }

  get chain(): Chain {
    return this.#chain
  }

  get head(): number {
    return this.#head
  }

  start(): Promise<ChainServerAddress> {
    const { host = "127.0.0.1", port = 0, blockMs = 0 } = this.#options
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject)
      this.#server.listen(port, host, () => {
        if (blockMs > 0) this.#growth = setInterval(() => this.#grow(), blockMs)
        const at = `${host}:${(this.#server.address() as AddressInfo).port}`
        resolve({ url: `http://${at}`, ws: `ws://${at}` })
      })
    })
  }

  async stop(): Promise<void> {
    clearInterval(this.#growth)
    this.resume()
    for (const peer of this.#peers) peer.destroy()
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  /** Also backwards, as a node behind a load balancer does. New blocks are announced. */
  setHead(head: number): void {
    if (!Number.isInteger(head) || head < 0 || head > this.#chain.options.blocks) {
      throw new RangeError(`head ${head} is outside [0, ${this.#chain.options.blocks}]`)
    }
    const before = this.#head
    this.#head = head
    this.#subscriptions.announce(this.#chain, before + 1, head + 1)
  }

  /** From now on another branch is the chain; its new blocks are announced. The old branch is forgotten. */
  reorg(toFork: Chain, head: number = this.#head): void {
    let shared = Math.min(this.#head, head)
    while (shared > 0 && this.#chain.hashAt(shared) !== toFork.hashAt(shared)) shared--
    this.#chain = toFork
    this.#head = head
    this.#subscriptions.announce(toFork, shared + 1, head + 1)
  }

  /** Requests are taken and not answered until `resume`. */
  pause(): void {
    if (this.#paused !== undefined) return
    let end: () => void = () => undefined
    const wait = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#paused = { wait, end }
  }

  resume(): void {
    this.#paused?.end()
    this.#paused = undefined
  }

  stats(options: { readonly reset?: boolean } = {}): StatsSnapshot {
    const snapshot = this.#stats.snapshot(this.#head)
    if (options.reset) this.#stats.reset()
    return snapshot
  }

  #grow(): void {
    if (this.#head < this.#chain.options.blocks) this.setHead(this.#head + 1)
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") return this.#serveStats(request, response)
    const finished = this.#stats.requested()
    response.once("close", finished)
    const text = await readBody(request)
    if (text === undefined) {
      response.writeHead(413, { connection: "close" }).end()
      return
    }
    const { latencyMs = 0 } = this.#options
    if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs))
    if (this.#paused !== undefined) await this.#paused.wait
    this.#reply(response, this.#answerer.answer(text))
  }

  #reply(response: ServerResponse, pieces: readonly Buffer[]): void {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    this.#stats.sent(length)
    response.writeHead(200, { "content-type": "application/json", "content-length": length })
    if (length < 65_536) {
      response.end(Buffer.concat(pieces, length))
      return
    }
    // One writev of the chain's own bytes: copying them together would halve the throughput.
    response.socket?.cork()
    for (const piece of pieces) response.write(piece)
    response.end()
    response.socket?.uncork()
  }

  #serveStats(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", "http://localhost")
    if (url.pathname !== "/stats") {
      response.writeHead(404).end()
      return
    }
    const reset = url.searchParams.get("reset") === "1"
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(this.stats({ reset })))
  }

  #upgrade(request: IncomingMessage, socket: Duplex): void {
    const peer = WebSocketPeer.accept(request, socket)
    if (peer === undefined) return
    this.#peers.add(peer)
    peer.onClose(() => this.#peers.delete(peer))
    peer.onText = (text) => {
      const subscribed = this.#subscriptions.answer(parseCall(text), peer)
      peer.send(subscribed ?? Buffer.concat(this.#answerer.answer(text)))
    }
  }
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxRequestBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length).toString()
}

function parseCall(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : {}
  } catch {
    return {} // the answerer says what is wrong with it
  }
}
