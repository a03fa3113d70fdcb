import { afterEach, expect, test } from "vitest"
import { type Answer, answerCalls, type RpcServer, startRpcServer } from "../../../../test/fixtures/evm/rpc-server.js"
import { VirtualClock } from "../../../../test/support/virtual-clock.js"
import { type Clock, systemClock } from "../../../platform/clock.js"
import { IndexerError } from "../../../platform/errors.js"
import { silentLogger } from "../../../platform/logger.js"
import { systemRandom } from "../../../platform/random.js"
import { providerLabels } from "../../../source/provider-url.js"
import { RpcCounters } from "../../../source/rpc-counters.js"
import { createSharedLimit } from "../../../source/shared-limit.js"
import { JsonRpcClient, type JsonRpcClientOptions } from "./json-rpc-client.js"
import { RpcPool, type RpcPoolOptions } from "./rpc-pool.js"

const deps = { clock: systemClock, random: systemRandom, logger: silentLogger }
const signal = new AbortController().signal
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function server(answer: Answer): Promise<RpcServer> {
  const started = await startRpcServer(answer)
  closers.push(() => started.close())
  return started
}

function pool(
  urls: readonly string[],
  client: Partial<JsonRpcClientOptions> = {},
  options: Partial<RpcPoolOptions> = {},
  clock: Clock = systemClock,
): RpcPool {
  const counters = new RpcCounters()
  const labels = providerLabels(urls)
  const providers = urls.map(
    (url, i) =>
      new JsonRpcClient(
        { ...deps, clock, counters },
        { url, label: labels[i]!, limit: createSharedLimit(), timeoutMs: 60_000, ...client },
      ),
  )
  const made = new RpcPool({ ...deps, clock }, { providers, counters, backoffMs: 5, ...options })
  closers.push(() => made.close())
  return made
}

const call = (method: string, ...params: unknown[]) => ({ method, params })
const many = (n: number) => Array.from({ length: n }, (_, i) => call("echo", i))
const echo = answerCalls(({ params }) => params[0])
const failure = async (promise: Promise<unknown>): Promise<IndexerError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(IndexerError)
  return error as IndexerError
}

test("answers of a batch are put in the order of the calls, whatever order they come in", async () => {
  const node = await server((body, response, request) => (echo(body, response, request) as unknown[]).reverse())
  const answers = await pool([node.url]).call(many(5), { signal })
  expect(answers.map((answer) => answer.value)).toEqual([0, 1, 2, 3, 4])
  expect(node.requests).toHaveLength(1)
})

const ok = (id: unknown) => ({ jsonrpc: "2.0", id, result: "0x1" })
test.each<[string, Answer, string]>([
  ["a missing id", () => [ok(1)], "RPC_BAD_RESPONSE"],
  ["a doubled id", () => [ok(1), ok(1), ok(2)], "RPC_BAD_RESPONSE"],
  ["an unknown id", () => [ok(1), ok(2), ok(77)], "RPC_BAD_RESPONSE"],
  ["truncated JSON", () => '[{"jsonrpc":"2.0","id":1,"resu', "RPC_BAD_RESPONSE"],
  ["HTML", (_, response) => void response.end("<html>busy</html>"), "RPC_BAD_RESPONSE"],
  ["an empty body", (_, response) => void response.end(""), "RPC_BAD_RESPONSE"],
  ["an unknown error", answerCalls(() => { throw { code: -1234, message: "odd" } }), "RPC_ERROR"], // biome-ignore format: one line
  ["HTTP 502", (_, response) => void response.writeHead(502).end("bad gateway"), "RPC_UNREACHABLE"],
  ["a closed connection", (_, response) => void response.destroy(), "RPC_UNREACHABLE"],
  ["code -32005", answerCalls(() => { throw { code: -32005, message: "slow down" } }), "RPC_RATE_LIMITED"], // biome-ignore format: one line
  ["HTTP 429", (_, response) => void response.writeHead(429, { "retry-after": "0" }).end(), "RPC_RATE_LIMITED"],
])("%s is a typed error that is retried", async (_name, answer, code) => {
  let bad = true
  const node = await server((...args) => (bad ? answer(...args) : echo(...args)))
  const error = await failure(pool([node.url], {}, { rounds: 1, limitedMs: 0 }).call(many(2), { signal }))
  expect(error.code).toBe(code)
  expect(error.action).toBe("retry")
  expect(error.message).not.toContain("key-0123456789abcdef")
  const retried = pool([node.url], {}, { rounds: 6 })
  const answers = retried.call(many(2), { signal })
  bad = false
  expect((await answers).map((each) => each.value)).toEqual([0, 1])
})

test("a node that refuses batches is asked with smaller ones, then with single calls, and that is remembered", async () => {
  const node = await server((body, response, request) => {
    if (!Array.isArray(body)) return echo(body, response, request)
    return { jsonrpc: "2.0", id: null, error: { code: -32600, message: "no batches" } }
  })
  const rpc = pool([node.url])
  expect((await rpc.call(many(4), { signal })).map((answer) => answer.value)).toEqual([0, 1, 2, 3])
  expect(node.requests.map((body) => (Array.isArray(body) ? body.length : 1))).toEqual([4, 2, 1, 1, 1, 1])
  await rpc.call(many(2), { signal })
  expect(node.requests.slice(6).every((body) => !Array.isArray(body))).toBe(true)
})

test("a request that waited while a batch was refused is not sent in that size", async () => {
  const node = await server((body, response, request) => {
    if (Array.isArray(body) && body.length > 2) return { error: { code: -32600, message: "batches of up to 2 only" } }
    return echo(body, response, request)
  })
  const rpc = pool([node.url], { limit: createSharedLimit({ maxInFlight: 1 }) })
  await Promise.all([rpc.call(many(8), { signal }), rpc.call(many(8), { signal })])
  const sizes = node.requests.map((body) => (Array.isArray(body) ? body.length : 1))
  expect(sizes.filter((size) => size === 8)).toHaveLength(1)
})

test("calls of a batch that are refused for now are asked again alone, and the others are kept", async () => {
  let free = 3
  const limited = answerCalls(({ params }) => {
    if (--free < 0) throw { code: 429, message: "exceeded its compute units per second capacity" }
    return params[0]
  })
  const node = await server((...args) => {
    const answer = limited(...args)
    free = 3
    return answer
  })
  const rpc = pool([node.url])
  expect((await rpc.call(many(7), { signal })).map((answer) => answer.value)).toEqual([0, 1, 2, 3, 4, 5, 6])
  const asked = node.requests.map((body) => (Array.isArray(body) ? body : [body]).map(({ params }) => params[0]))
  expect(asked[0]).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(asked.slice(1).flat().sort()).toEqual([3, 4, 5, 6])
  expect(rpc.providers()[0]).toMatchObject({ state: "closed", lastError: expect.stringContaining("RPC_RATE_LIMITED") })
})

/** Lets time pass until the work is done. */
async function pass<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let isDone = false
  const over = work.finally(() => {
    isDone = true
  })
  over.catch(() => undefined)
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(50)
  }
  return over
}

test("while its only provider refuses for its rate, a call waits beyond its rounds, and is answered", async () => {
  let refusals = 8
  const node = await server((body, response, request) => {
    if (--refusals < 0) return echo(body, response, request)
    return void response.writeHead(503, { "retry-after": "1" }).end("slow down")
  })
  const clock = new VirtualClock()
  const rpc = pool([node.url], {}, { rounds: 2, limitedMs: 3_600_000 }, clock)
  const answers = await pass(clock, rpc.call(many(2), { signal }))
  expect(answers.map((each) => each.value)).toEqual([0, 1])
  expect(rpc.providers()[0]!.state).toBe("closed")
})

test("a provider that refuses everything for its rate is given up after a time", async () => {
  const node = await server((_body, response) => void response.writeHead(429, { "retry-after": "30" }).end())
  const clock = new VirtualClock()
  const rpc = pool([node.url], {}, { limitedMs: 0 }, clock)
  expect((await failure(pass(clock, rpc.call(many(1), { signal })))).code).toBe("RPC_RATE_LIMITED")
})

test("HTTP 413 for a batch makes it smaller", async () => {
  const node = await server((body, response, request) => {
    if (Array.isArray(body) && body.length > 3) return void response.writeHead(413).end()
    return echo(body, response, request)
  })
  expect(await pool([node.url]).call(many(10), { signal })).toHaveLength(10)
})

test("a request that takes too long is destroyed on its socket", async () => {
  let closed: () => void = () => undefined
  const gone = new Promise<void>((resolve) => {
    closed = resolve
  })
  const node = await server((_body, response) => {
    response.on("close", closed)
    response.write("[")
  })
  const error = await failure(pool([node.url], { timeoutMs: 50 }, { rounds: 1 }).call(many(2), { signal }))
  expect(error.code).toBe("RPC_TIMEOUT")
  await gone
})

test("an abort ends a request under way and is no provider's failure", async () => {
  const node = await server(() => undefined)
  const rpc = pool([node.url])
  const abort = new AbortController()
  const pending = rpc.call(many(1), { signal: abort.signal })
  while (node.requests.length === 0) await systemClock.sleep(1)
  abort.abort(new Error("stopping"))
  await expect(pending).rejects.toThrow("stopping")
  expect(rpc.providers()[0]).toMatchObject({ state: "closed", lastError: null })
})

test.each([true, false])("an answer over the limit is cut off (content-length: %s)", async (withLength) => {
  let closed: () => void = () => undefined
  const gone = new Promise<void>((resolve) => {
    closed = resolve
  })
  const node = await server((_body, response) => {
    response.on("close", closed)
    if (withLength) response.setHeader("content-length", 50_000_000)
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
      if (!response.destroyed) response.once("drain", more)
    }
    more()
  })
  const error = await failure(
    pool([node.url], { maxResponseBytes: 1_000_000 }, { rounds: 1 }).call(many(1), { signal }),
  )
  expect(error.code).toBe("RPC_RESPONSE_TOO_LARGE")
  await gone
})

test("the next provider takes over, and the preferred one is used again once it is back", async () => {
  let down = true
  const first = await server((body, response, request) =>
    down ? void response.destroy() : echo(body, response, request),
  )
  const second = await server(echo)
  let passedMs = 0
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passedMs }
  const hour = 3_600_000
  const circuit = { failuresToOpen: 2, minOpenMs: hour, maxOpenMs: hour }
  const rpc = pool([first.url, second.url], { circuit }, {}, clock)
  for (let i = 0; i < 4; i++) await rpc.call(many(1), { signal })
  expect(second.requests).toHaveLength(4)
  expect(first.requests).toHaveLength(2)
  expect(rpc.providers()[0]).toMatchObject({
    state: "open",
    lastError: expect.stringContaining("RPC_UNREACHABLE"),
  })
  down = false
  passedMs = 2 * hour
  await rpc.call(many(1), { signal })
  await rpc.call(many(1), { signal })
  expect(first.requests).toHaveLength(4)
  expect(rpc.providers()[0]!.state).toBe("closed")
})

test("when no provider answers, the error names each and what it said, without its key", async () => {
  const first = await server((_body, response, request) => void response.writeHead(503).end(request.url))
  const second = await server(
    answerCalls(() => {
      throw { code: -32000, message: `bad request to ${second.url}` }
    }),
  )
  const error = await failure(pool([first.url, second.url]).call(many(1), { signal }))
  expect(error).toMatchObject({ code: "RPC_NO_PROVIDER", action: "retry" })
  expect(error.message).toContain("HTTP 503")
  expect(error.message).toContain("-32000")
  expect(JSON.stringify([error.message, error.data])).not.toContain("key-0123456789abcdef")
})

test("a provider on another chain is never used", async () => {
  const chain = (id: string) => answerCalls(({ method }) => (method === "eth_chainId" ? id : `from ${id}`))
  const wrong = await server(chain("0x5"))
  const right = await server(chain("0x1"))
  const rpc = pool([wrong.url, right.url], {}, { expectedChainId: "1" })
  for (let i = 0; i < 3; i++) {
    expect((await rpc.call([call("x")], { signal }))[0]!.value).toBe("from 0x1")
  }
  // Asked once who it is, then left alone for a while.
  expect(wrong.requests.map((body) => (body as { method: string }).method)).toEqual(["eth_chainId"])
  expect(rpc.providers()[0]).toMatchObject({
    mismatch: "5",
    lastError: expect.stringContaining("CHAIN_MISMATCH"),
  })
  const alone = pool([wrong.url], {}, { expectedChainId: "1" })
  expect((await failure(alone.call([call("x")], { signal }))).code).toBe("CHAIN_MISMATCH")
})

test("counters are differences since the last take, per provider, method and code", async () => {
  let bad = true
  const node = await server((body, response, request) =>
    bad ? void response.writeHead(500).end() : echo(body, response, request),
  )
  const rpc = pool([node.url])
  const pending = rpc.call(many(3), { signal })
  while (node.requests.length === 0) await systemClock.sleep(1)
  bad = false
  await pending
  const counters = rpc.takeCounters()
  expect(counters.map(({ method, code, calls }) => [method, code, calls])).toEqual([
    ["echo", "RPC_UNREACHABLE", 3],
    ["echo", "ok", 3],
  ])
  expect(counters[1]!.bytes).toBeGreaterThan(100)
  expect(rpc.takeCounters()).toEqual([])
})

test("labels are host and port, numbered where they are shared, never path or credentials", () => {
  expect(providerLabels(["https://u:secret@a.io/v2/key", "https://a.io/v2/other?x=1", "http://b.io:8545/k"])).toEqual([
    "a.io#1",
    "a.io#2",
    "b.io:8545",
  ])
})
