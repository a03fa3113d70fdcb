// Every fault, as a client that knows the truth sees it. That the product notices each lie is proved by
// proof/chaos/scenarios/lies.ts.

import { createConnection } from "node:net"
import { Agent, request } from "undici"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { BloomReader } from "../../src/families/evm/source/bloom.js"
import { createChain } from "../chain/synthetic-chain.js"
import { startChainServer } from "./chain-server.js"
import { type FaultName, faultNames, type HostileRpcOptions, startHostileRpc } from "./hostile-rpc.js"

const chain = createChain({ blocks: 40, transactionsPerBlock: 5, logsPerBlock: 18, holders: 80 })
const agent = new Agent({ headersTimeout: 2_000 })
/** Any JSON value. */
type Json = ReturnType<typeof JSON.parse>

const running: { stop(): Promise<void> }[] = []
const started = <T extends { stop(): Promise<void> }>(server: T): T => {
  running.push(server)
  return server
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})
afterAll(() => agent.destroy())

const start = async (options: Partial<HostileRpcOptions> = {}) =>
  started(await startHostileRpc({ chain, seed: 1, ...options }))
const always = (...names: FaultName[]) => Object.fromEntries(names.map((name) => [name, 1]))

const call = (id: number, method: string, ...params: unknown[]) => ({ jsonrpc: "2.0", id, method, params })
const getBlock = (id: number, height = id) => call(id, "eth_getBlockByNumber", `0x${height.toString(16)}`, true)
const getReceipts = (id: number, height = id) => call(id, "eth_getBlockReceipts", `0x${height.toString(16)}`)

async function raw(url: string, body: unknown) {
  const answer = await request(url, { method: "POST", body: JSON.stringify(body), dispatcher: agent })
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
}
const ask = async (url: string, body: unknown): Promise<Json> => JSON.parse((await raw(url, body)).text)

const trueBlock = (height: number) => JSON.parse(chain.block(height, "full").toString())
const trueReceipts = (height: number) => JSON.parse(chain.block(height, "receipts").toString())
const logsOf = (receipts: Json[]): Json[] => receipts.flatMap((receipt) => receipt.logs)
const indexesOf = (receipts: Json[]) => logsOf(receipts).map((log) => Number(log.logIndex))
const lower = (value: Json) => JSON.stringify(value).toLowerCase()

const blooms = new BloomReader()
const bloom = (logs: Json[]): string => blooms.textOf(logs)

it("without faults, answers pass byte for byte", async () => {
  const honest = started(await startChainServer({ chain }))
  const body = [getBlock(1), getReceipts(2), call(3, "eth_chainId")]
  const { url, counts } = await start()
  expect((await raw(url, body)).text).toBe((await raw(honest.url, body)).text)
  expect(Object.values(counts).every((count) => count === 0)).toBe(true)
})

describe("fate", () => {
  const heights = Array.from({ length: 60 }, (_, at) => 1 + (at % 30))
  const outcomes = async (seed: number, order: number[]) => {
    const { url } = await start({ seed, faults: { nullBlock: 0.5 } })
    const seen = new Map<number, boolean[]>()
    for (const height of order) {
      const isNull = (await ask(url, getBlock(height))).result === null
      seen.set(height, [...(seen.get(height) ?? []), isNull])
    }
    return [...seen].sort(([a], [b]) => a - b)
  }

  it("follows from seed, request and repetition, not from the order of requests", async () => {
    const first = await outcomes(1, heights)
    expect(await outcomes(1, [...heights].reverse())).toEqual(first)
    expect(await outcomes(2, heights)).not.toEqual(first)
    expect(first.some(([, [once, again]]) => once !== again)).toBe(true)
  })

  it("can be changed while the server runs, and is counted", async () => {
    const { url, counts, setFaults } = await start({ faults: always("nullBlock") })
    expect((await ask(url, getBlock(3))).result).toBeNull()
    setFaults({})
    expect((await ask(url, getBlock(3))).result).toEqual(trueBlock(3))
    expect(counts.nullBlock).toBe(1)
  })
})

describe("the answer to one call", () => {
  const block = getBlock(4)
  const receipts = getReceipts(4)
  const faults: [FaultName, ReturnType<typeof call>, (result: Json, error: Json) => unknown, unknown?][] = [
    ["rpcErrorKnownCode", block, (_, error) => error.code <= -32000],
    ["rpcErrorUnknownCode", block, (_, error) => [4444, -1, 0, -39999, 1e21].includes(error.code)],
    ["rpcErrorStringCode", block, (_, error) => typeof error.code, "string"],
    ["nullBlock", block, (result) => result, null],
    ["nullReceipts", receipts, (result) => result, null],
    ["receiptsOneShort", receipts, (result) => result.length, 4],
    ["transactionMissing", block, ({ hash, transactions }) => [hash, transactions.length], [chain.hashAt(4), 4]],
    ["receiptsOfAnotherBlock", receipts, ([first]) => [3, 5].includes(Number(first.blockNumber))],
    ["blockOfAnotherNumber", block, ({ number }) => [3, 5].includes(Number(number))],
    ["wrongParentHash", block, ({ parentHash }) => parentHash !== chain.hashAt(3)],
    [
      "wrongReceiptBlockHash",
      receipts,
      (result) => [...result, ...logsOf(result)].some(({ blockHash }) => blockHash === chain.hashAt(4)),
      false,
    ],
    ["logsOutOfOrder", receipts, (result) => `${indexesOf(result)}` !== `${indexesOf(trueReceipts(4))}`],
    ["logIndexDuplicated", receipts, (result) => new Set(indexesOf(result)).size, logsOf(trueReceipts(4)).length - 1],
    ["headGoesBack", call(1, "eth_blockNumber"), (result) => Number(result) < 40],
    ["headGoesBack", call(1, "eth_getBlockByNumber", "latest", false), ({ number }) => Number(number) < 40],
    ["wrongChainId", call(1, "eth_chainId"), (result) => Number(result) !== 1337],
    ["wrongChainId", call(1, "net_version"), (result) => /^[0-9]+$/.test(result)],
    ["numbersInsteadOfHex", block, (result) => [result.number, result.transactions[2].transactionIndex], [4, 2]],
    ["uppercaseHex", block, (result) => [/[A-F]/.test(result.hash), lower(result)], [true, lower(trueBlock(4))]],
    ["unknownFields", receipts, (result) => "unheardOf" in result[0]],
    ["hostileStrings", block, ({ hash, note }) => hash === chain.hashAt(4) && note.includes("\u0000\ud800")],
  ]
  it.each(faults)("can have %s (%j)", async (name, body, seen, expected = true) => {
    const { url, counts } = await start({ faults: always(name) })
    const { id, result, error } = await ask(url, body)
    expect(seen(result, error)).toEqual(expected)
    expect([id, counts[name]]).toEqual([body.id, 1])
  })

  it.each([
    ["logRemoved", -1],
    ["logAdded", 1],
    ["topicChanged", 0],
    ["addressChanged", 0],
  ] as const)("can have logs that do not fit the block's bloom: %s", async (name, change) => {
    let careful = 0
    for (let seed = 1; seed <= 8; seed++) {
      const { url } = await start({ seed, faults: always(name) })
      const { result } = await ask(url, receipts)
      const logs = logsOf(result)
      expect(logs).toHaveLength(logsOf(trueReceipts(4)).length + change)
      expect(bloom(logs)).not.toBe(trueBlock(4).logsBloom)
      const fits = result.every((receipt: Json) => receipt.logsBloom === bloom(receipt.logs))
      if (fits) expect(indexesOf(result)).toEqual(logs.map((_, at) => at))
      careful += fits ? 1 : 0
    }
    expect(careful).toBeGreaterThan(0)
    expect(careful).toBeLessThan(8)
  })
})

describe("a batch", () => {
  const calls = [getBlock(1, 10), getReceipts(2, 10), getBlock(3, 11), getReceipts(4, 11)]
  const truth = [trueBlock(10), trueReceipts(10), trueBlock(11), trueReceipts(11)]

  it("can be shuffled, refused, or have ids missing, doubled or of another type", async () => {
    const under = async (name: FaultName) => ask((await start({ faults: always(name) })).url, calls)
    const ids = async (name: FaultName) => (await under(name)).map((answer: Json) => answer.id)
    const shuffled = await under("batchShuffled")
    expect(shuffled.map((a: Json) => a.id)).not.toEqual([1, 2, 3, 4])
    expect(shuffled.sort((a: Json, b: Json) => a.id - b.id).map((a: Json) => a.result)).toEqual(truth)
    expect((await under("batchRefused")).error.code).toBe(-32600)
    expect((await ids("idMissing")).filter((id: unknown) => id === undefined)).toHaveLength(1)
    expect(new Set(await ids("idDuplicated")).size).toBe(3)
    expect((await ids("idWrongType")).filter((id: unknown) => typeof id === "string")).toHaveLength(1)
  })

  it("can mix two branches, and always has some of each", async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { url } = await start({ seed, faults: always("twoForks") })
      for (const asked of [calls, calls.slice(0, 2)]) {
        const answers = await ask(url, asked)
        const honest = answers.filter((a: Json, at: number) => lower(a.result) === lower(truth[at]))
        expect(honest.length).toBeGreaterThan(0)
        expect(honest.length).toBeLessThan(asked.length)
        expect(answers.map((a: Json) => [a.id, a.result !== null])).toEqual(asked.map(({ id }) => [id, true]))
      }
    }
  })
})

it("under everything at once the server stays alive, and every quick fault is served", async () => {
  const slow: FaultName[] = ["neverAnswers", "slowDrip", "hugeBody"]
  const quick = faultNames.filter((name) => !slow.includes(name))
  // Ten of them replace the whole answer, and would leave little for the others.
  const rate = (name: FaultName) => (/^(http|html|empty|trunc|conn|content|batchR)/.test(name) ? 0.04 : 0.1)
  const faults = Object.fromEntries(quick.map((name) => [name, rate(name)]))
  const { url, counts, setFaults } = await start({ faults })
  const head = [call(91, "eth_blockNumber"), call(92, "eth_chainId")]
  for (let round = 0; round < 200; round++) {
    const low = 1 + (round % 38)
    const body = [getBlock(1, low), getReceipts(2, low), getBlock(3, low + 1), getReceipts(4, low + 1), ...head]
    await raw(url, body).catch(() => undefined)
  }
  expect(quick.filter((name) => counts[name] === 0)).toEqual([])
  setFaults({})
  expect((await ask(url, getBlock(4))).result).toEqual(trueBlock(4))
})

describe("the connection", () => {
  const wire = async (name: FaultName, options: Partial<HostileRpcOptions> = {}) =>
    (await start({ ...options, faults: always(name) })).url
  const truth = JSON.stringify({ jsonrpc: "2.0", id: 4, result: trueBlock(4) })

  it.each([
    ["http500", 500],
    ["http502", 502],
    ["http429", 429],
    ["http429RetryAfter", 429, "1"],
    ["htmlBody", 200, undefined, /^<!doctype/],
    ["emptyBody", 200, undefined, /^$/],
  ] as const)("can answer %s", async (name, status, retryAfter?: string, text = /./) => {
    const answer = await raw(await wire(name), getBlock(4))
    expect([answer.status, answer.headers["retry-after"]]).toEqual([status, retryAfter])
    expect(answer.text).toMatch(text)
  })

  it("can cut the answer short, or make it huge", async () => {
    const cut = (await raw(await wire("truncatedJson"), getBlock(4))).text
    expect(cut.length).toBeLessThan(truth.length)
    expect(truth.startsWith(cut)).toBe(true)
    const bodies = []
    for (let seed = 1; seed <= 12; seed++) {
      const { text } = await raw(await wire("hugeBody", { seed, hugeBodyBytes: 1_000_000 }), getBlock(4))
      expect(text.length).toBeGreaterThan(1_000_000)
      bodies.push(text.trimStart()[0])
    }
    expect(new Set(bodies)).toEqual(new Set(["{", "x"]))
  })

  it("can break in the middle, promise another length, or never answer", async () => {
    for (const name of ["connectionReset", "contentLengthTooLong", "neverAnswers"] as const)
      await expect(raw(await wire(name), getBlock(4))).rejects.toThrow()
    // Clients differ in how they read a body longer than promised, so the test reads the bytes.
    const received = await bytesFrom(await wire("contentLengthTooShort"), JSON.stringify(getBlock(4)))
    const body = received.slice(received.indexOf("\r\n\r\n") + 4)
    expect(body).toBe(truth)
    expect(Number(/content-length: (\d+)/i.exec(received)![1])).toBeLessThan(body.length)
  })

  it("can drip the true answer", async () => {
    const began = performance.now()
    expect((await raw(await wire("slowDrip", { dripMs: 400 }), getBlock(4))).text).toBe(truth)
    expect(performance.now() - began).toBeGreaterThan(300)
  })
})

function bytesFrom(url: string, body: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = createConnection(Number(port), hostname)
    let received = ""
    socket.on("data", (chunk) => {
      received += chunk.toString()
    })
    socket.once("end", () => resolve(received))
    socket.once("error", reject)
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  })
}
