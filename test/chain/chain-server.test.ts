// The synthetic node as its clients use it: over HTTP and WebSocket, in this process and in another.

import { WebSocket } from "undici"
import { afterEach, describe, expect, it } from "vitest"
import { type StartChainServerOptions, spawnChainServer, startChainServer } from "../support/chain-server.js"
import { pause, waitUntil } from "../support/wait-until.js"

const small = { blocks: 30, transactionsPerBlock: 4, logsPerBlock: 12, holders: 50 }
/** Any JSON value. */
type Json = ReturnType<typeof JSON.parse>

const running: { stop(): Promise<void> }[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

async function start(options: StartChainServerOptions = {}) {
  const server = await startChainServer({ ...small, ...options })
  running.push(server)
  return server
}

async function post(url: string, body: unknown): Promise<Json> {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return (await fetch(url, { method: "POST", body: text })).json()
}

async function ask(url: string, method: string, ...params: unknown[]): Promise<Json> {
  const answer = await post(url, { jsonrpc: "2.0", id: "x", method, params })
  expect(answer.id).toBe("x")
  return answer.error ?? answer.result
}

describe("the methods", () => {
  it("answer for the chain id, the head and the block that a tag names", async () => {
    const { url, chain } = await start({ startHead: 20, finality: 8 })
    for (const [method, params, answer] of [
      ["eth_chainId", [], "0x539"],
      ["net_version", [], "1337"],
      ["eth_blockNumber", [], "0x14"],
      ["eth_getBlockByNumber", ["0x15", false], null],
      ["eth_getBlockByHash", [chain.hashAt(21), false], null],
      ["eth_getBlockReceipts", ["0x15"], null],
      ["eth_getTransactionReceipt", [`0x${"ab".repeat(32)}`], null],
      ["eth_getCode", [`0x${"11".repeat(20)}`, "latest"], "0x"],
    ] as const)
      expect(await ask(url, method, ...params)).toBe(answer)
    const heights = { latest: 20, safe: 12, finalized: 12, earliest: 0, "0x7": 7 }
    for (const [tag, height] of Object.entries(heights))
      expect((await ask(url, "eth_getBlockByNumber", tag, false)).hash).toBe(chain.hashAt(height))
    expect((await ask(url, "eth_getBlockByNumber", "soon", false)).code).toBe(-32602)
    expect((await ask(url, "toString")).code).toBe(-32601)
    const lacking = await start({ receiptsMethod: false })
    expect((await ask(lacking.url, "eth_getBlockReceipts", "0x1")).code).toBe(-32601)
  })

  it("agree with each other about blocks, transactions and receipts", async () => {
    const { url, chain } = await start()
    const full = await ask(url, "eth_getBlockByNumber", "0x9", true)
    const receipts = await ask(url, "eth_getBlockReceipts", "0x9")
    expect(await ask(url, "eth_getBlockByHash", chain.hashAt(9), true)).toEqual(full)
    expect(await ask(url, "eth_getBlockReceipts", chain.hashAt(9))).toEqual(receipts)
    for (const [index, { hash }] of full.transactions.entries())
      expect(await ask(url, "eth_getTransactionReceipt", hash)).toEqual(receipts[index])
  })

  it("answer for the token contracts", async () => {
    const { url, chain } = await start()
    const { address, name, symbol } = chain.universe.tokens[3]!
    const call = (data: string) => ask(url, "eth_call", { to: address.hex, data }, "latest")
    const text = (hex: string) => Buffer.from(hex.slice(130), "hex").toString().replace(/\0+$/, "")
    expect(text(await call("0x06fdde03"))).toBe(name)
    expect(text(await call("0x95d89b41"))).toBe(symbol)
    expect(Number(await call("0x313ce567"))).toBe(18)
    expect(await ask(url, "eth_getCode", address.hex, "latest")).toMatch(/^0x60/)
  })
})

describe("requests", () => {
  it("come in batches, up to a limit", async () => {
    const { url } = await start({ maxBatch: 3 })
    const call = (id: number) => ({ jsonrpc: "2.0", id, method: "eth_chainId" })
    const answers = await post(url, [call(3), call(1), { id: 9, method: "nope" }])
    expect(answers.map((a: Json) => [a.id, a.result ?? a.error.code])).toEqual([
      [3, "0x539"],
      [1, "0x539"],
      [9, -32601],
    ])
    expect((await post(url, [1, 2, 3, 4].map(call))).error.code).toBe(-32600)
    expect((await post(url, "{")).error.code).toBe(-32700)
  })

  it("are counted, by method and concurrency", async () => {
    const { url, stats } = await start({ latencyMs: 50 })
    await Promise.all([1, 2, 3].map(() => ask(url, "eth_chainId")))
    const counted = await (await fetch(`${url}/stats?reset=1`)).json()
    const counts = { requests: 3, calls: 3, methods: { eth_chainId: 3 }, maxConcurrentRequests: 3 }
    const bytes = 3 * JSON.stringify({ jsonrpc: "2.0", id: "x", result: "0x539" }).length
    expect(counted).toMatchObject({ ...counts, bytes })
    expect(stats()).toMatchObject({ requests: 0, calls: 0, bytes: 0 })
  })

  it("wait while the server is paused", async () => {
    const { url, pause: pauseServer, resume } = await start()
    pauseServer()
    const waiting = ask(url, "eth_chainId")
    expect(await Promise.race([waiting, pause(100)])).toBeUndefined()
    resume()
    expect(await waiting).toBe("0x539")
  })
})

describe("the head", () => {
  async function subscribe(wsUrl: string) {
    const socket = new WebSocket(wsUrl)
    const messages: Json[] = []
    let wake: () => void = () => undefined
    socket.onmessage = (event) => {
      messages.push(JSON.parse(event.data))
      wake()
    }
    await new Promise((resolve) => {
      socket.onopen = resolve
    })
    const received = async (count: number) => {
      while (messages.length < count) await new Promise<void>((resolve) => (wake = resolve))
      return messages
    }
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }))
    const [{ result }] = await received(1)
    return { socket, received, subscription: result as string }
  }

  it("is announced over WebSocket as it moves, also onto another branch", async () => {
    const { url, wsUrl, chain, server, setHead, reorg } = await start({ startHead: 10 })
    const { socket, received, subscription } = await subscribe(wsUrl)
    setHead(12)
    const fork = chain.fork({ at: 12, seed: 5 })
    reorg(fork, 13)
    const heads = (await received(5)).slice(1).map(({ params }: Json) => {
      expect(params.subscription).toBe(subscription)
      expect(params.result).not.toHaveProperty("transactions")
      return params.result.hash
    })
    expect(heads).toEqual([chain.hashAt(11), chain.hashAt(12), fork.hashAt(12), fork.hashAt(13)])
    expect((await ask(url, "eth_getBlockByNumber", "latest", false)).hash).toBe(fork.hashAt(13))
    expect(await ask(url, "eth_getBlockByHash", chain.hashAt(12), false)).toBeNull()
    expect(server.chain).toBe(fork)
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 2, method: "eth_unsubscribe", params: [subscription] }))
    expect((await received(6)).at(-1)).toEqual({ jsonrpc: "2.0", id: 2, result: true })
    setHead(14)
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 3, method: "eth_getBlockByNumber", params: ["0xe", true] }))
    const last = (await received(7)).at(-1)
    expect(last).toMatchObject({ id: 3, result: { hash: fork.hashAt(14) } })
    socket.close()
  })

  it("grows with time when asked to, stays within the chain, and can go back", async () => {
    const { url, server, setHead } = await start({ blocks: 12, startHead: 10, blockMs: 300 })
    await waitUntil(() => server.head === 12, { what: "the chain's end" })
    await pause(350)
    expect(server.head).toBe(12)
    setHead(3)
    expect(await ask(url, "eth_blockNumber")).toBe("0x3")
    expect(() => setHead(13)).toThrow(RangeError)
  })
})

describe("a server of its own process", () => {
  it("serves the same chain and ends when it is stopped", async () => {
    const spawned = await spawnChainServer({ ...small, seed: 6, forkAt: 5, forkSeed: 7, startHead: 9 })
    running.push(spawned)
    const { chain } = await start({ seed: 6, forkAt: 5, forkSeed: 7 })
    expect((await ask(spawned.url, "eth_getBlockByNumber", "latest", true)).hash).toBe(chain.hashAt(9))
    expect((await spawned.stats()).methods).toEqual({ eth_getBlockByNumber: 1 })
    await spawned.stop()
    expect(() => process.kill(spawned.pid, 0)).toThrow()
  })

  it("says why it did not start", async () => {
    await expect(spawnChainServer({ forkAt: 3 })).rejects.toThrow(
      "ended with code 1 before it was ready: a fork needs both forkAt and forkSeed",
    )
  })
})
