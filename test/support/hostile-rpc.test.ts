// Every fault, as it shows at a client that knows the truth.

import { createConnection } from "node:net"
import { Agent, request } from "undici"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { BloomReader } from "../../src/families/evm/source/bloom.js"
import { createChain } from "../chain/synthetic-chain.js"
import { startChainServer } from "./chain-server.js"
import {
  type FaultName,
  faultKinds,
  faultNames,
  type HostileRpc,
  type HostileRpcOptions,
  lies,
  noise,
  outages,
  startHostileRpc,
} from "./hostile-rpc.js"

const chain = createChain({ blocks: 40, transactionsPerBlock: 5, logsPerBlock: 18, holders: 80 })
const patient = new Agent()
const impatient = new Agent({ headersTimeout: 500, bodyTimeout: 500 })
/** Anything JSON can hold, looked into without ceremony. */
type Json = ReturnType<typeof JSON.parse>

const running: { stop(): Promise<void> }[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})
afterAll(() => Promise.all([patient.destroy(), impatient.destroy()]))

async function start(options: Partial<HostileRpcOptions> = {}): Promise<HostileRpc> {
  const hostile = await startHostileRpc({ chain, seed: 1, ...options })
  running.push(hostile)
  return hostile
}
const always = (...names: FaultName[]) => Object.fromEntries(names.map((name) => [name, 1]))

const call = (id: number, method: string, ...params: unknown[]) => ({ jsonrpc: "2.0", id, method, params })
const getBlock = (id: number, height = id) =>
  call(id, "eth_getBlockByNumber", `0x${height.toString(16)}`, true)
const getReceipts = (id: number, height = id) => call(id, "eth_getBlockReceipts", `0x${height.toString(16)}`)

async function raw(url: string, body: unknown, dispatcher = patient) {
  const answer = await request(url, { method: "POST", body: JSON.stringify(body), dispatcher })
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
}
const ask = async (url: string, body: unknown): Promise<Json> => JSON.parse((await raw(url, body)).text)

const trueBlock = (height: number) => JSON.parse(chain.block(height, "full").toString())
const trueReceipts = (height: number) => JSON.parse(chain.block(height, "receipts").toString())
const logsOf = (receipts: Json[]): Json[] => receipts.flatMap((receipt) => receipt.logs)
const indexesOf = (receipts: Json[]) => logsOf(receipts).map((log) => Number(log.logIndex))

const blooms = new BloomReader()
const bloom = (logs: Json[]): string => blooms.textOf(logs)

describe("the catalogue", () => {
  it("puts each fault into exactly one kind", () => {
    expect([...lies, ...noise, ...outages].sort()).toEqual([...faultNames].sort())
    expect(noise.sort()).toEqual(["batchShuffled", "hostileStrings", "unknownFields", "uppercaseHex"])
    expect(Object.keys(faultKinds)).toHaveLength(faultNames.length)
  })
})

describe("without faults", () => {
  it("the honest answer passes byte for byte, from a chain and from a URL", async () => {
    const honest = await startChainServer({ chain })
    running.push(honest)
    const body = [getBlock(1), getReceipts(2), call(3, "eth_chainId")]
    const expected = (await raw(honest.url, body)).text
    expect((await raw((await start()).url, body)).text).toBe(expected)
    const { chain: _, ...byUrl } = { chain, seed: 1, target: honest.url }
    const proxied = await startHostileRpc(byUrl)
    running.push(proxied)
    expect((await raw(proxied.url, body)).text).toBe(expected)
    expect(Object.values(proxied.counts).every((count) => count === 0)).toBe(true)
  })
})

describe("fate", () => {
  const outcomes = async (seed: number, heights: number[]) => {
    const { url } = await start({ seed, faults: { nullBlock: 0.5 } })
    const seen = new Map<number, boolean[]>()
    for (const height of heights) {
      const answer = await ask(url, getBlock(height))
      seen.set(height, [...(seen.get(height) ?? []), answer.result === null])
    }
    return [...seen].sort(([a], [b]) => a - b)
  }

  it("follows from seed, request and repetition, not from the order of requests", async () => {
    const twice = [
      ...Array.from({ length: 30 }, (_, at) => at + 1),
      ...Array.from({ length: 30 }, (_, at) => at + 1),
    ]
    const first = await outcomes(1, twice)
    expect(await outcomes(1, [...twice].reverse())).toEqual(first)
    expect(await outcomes(2, twice)).not.toEqual(first)
    const struck = first.flatMap(([, nulls]) => nulls).filter(Boolean).length
    expect(struck).toBeGreaterThan(15)
    expect(struck).toBeLessThan(45)
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

describe("an answer", () => {
  /** The answer to one call under one fault, which was counted. */
  async function under(name: FaultName, body: { id: number; method: string; params: unknown[] }, seed = 1) {
    const { url, counts } = await start({ seed, faults: always(name) })
    const answer = await ask(url, body)
    expect(counts[name]).toBe(1)
    expect(answer.id).toBe(body.id)
    return answer
  }

  it("can be an error with a known, an unknown or a text code", async () => {
    expect((await under("rpcErrorKnownCode", getBlock(1))).error.code).toBeLessThanOrEqual(-32000)
    const unknown = (await under("rpcErrorUnknownCode", getBlock(1))).error
    expect([4444, -1, 0, -39999, 1e21]).toContain(unknown.code)
    expect(unknown.message).toContain("\u0000\ud800")
    expect((await under("rpcErrorStringCode", getBlock(1))).error.code).toBeTypeOf("string")
  })

  it("can deny a block and its receipts", async () => {
    expect((await under("nullBlock", getBlock(4))).result).toBeNull()
    expect((await under("nullReceipts", getReceipts(4))).result).toBeNull()
  })

  it("can lack a receipt or a transaction", async () => {
    const receipts = (await under("receiptsOneShort", getReceipts(4))).result
    expect(receipts).toHaveLength(4)
    expect(trueReceipts(4)).toEqual(expect.arrayContaining(receipts))
    const block = (await under("transactionMissing", getBlock(4))).result
    expect(block.transactions).toHaveLength(4)
    expect(block.hash).toBe(chain.hashAt(4))
  })

  it("can belong to another block", async () => {
    const receipts = (await under("receiptsOfAnotherBlock", getReceipts(4))).result
    expect([trueReceipts(3), trueReceipts(5)]).toContainEqual(receipts)
    const block = (await under("blockOfAnotherNumber", getBlock(4))).result
    expect([trueBlock(3), trueBlock(5)]).toContainEqual(block)
    const { parentHash, ...rest } = (await under("wrongParentHash", getBlock(4))).result
    expect(parentHash).not.toBe(chain.hashAt(3))
    expect({ ...rest, parentHash: chain.hashAt(3) }).toEqual(trueBlock(4))
    for (const receipt of (await under("wrongReceiptBlockHash", getReceipts(4))).result) {
      for (const item of [receipt, ...receipt.logs]) expect(item.blockHash).not.toBe(chain.hashAt(4))
    }
  })

  it.each(["logRemoved", "logAdded", "topicChanged", "addressChanged"] as const)(
    "can have logs that do not fit the block's bloom: %s",
    async (name) => {
      const change = { logRemoved: -1, logAdded: 1, topicChanged: 0, addressChanged: 0 }[name]
      let careful = 0
      for (let seed = 1; seed <= 8; seed++) {
        const { result } = await under(name, getReceipts(4), seed)
        const logs = logsOf(result)
        expect(logs).toHaveLength(logsOf(trueReceipts(4)).length + change)
        expect(bloom(logs)).not.toBe(trueBlock(4).logsBloom)
        expect(result).toHaveLength(5)
        const fits = result.every((receipt: Json) => receipt.logsBloom === bloom(receipt.logs))
        if (fits) expect(indexesOf(result)).toEqual(logs.map((_, at) => at))
        careful += fits ? 1 : 0
      }
      expect(careful).toBeGreaterThan(0)
      expect(careful).toBeLessThan(8)
    },
  )

  it("can have a lie in the receipt of one transaction", async () => {
    const receipt = trueReceipts(4).find((item: Json) => item.logs.length > 0)
    const body = call(1, "eth_getTransactionReceipt", receipt.transactionHash)
    const { result } = await under("addressChanged", body)
    expect(bloom(result.logs)).not.toBe(result.logsBloom)
  })

  it("can have logs out of order or with an index twice", async () => {
    const { result: disordered } = await under("logsOutOfOrder", getReceipts(4))
    expect(indexesOf(disordered)).not.toEqual(indexesOf(trueReceipts(4)))
    expect(indexesOf(disordered).sort((a, b) => a - b)).toEqual(indexesOf(trueReceipts(4)))
    const { result: doubled } = await under("logIndexDuplicated", getReceipts(4))
    expect(new Set(indexesOf(doubled)).size).toBe(indexesOf(doubled).length - 1)
  })

  it("can name a lower head or another chain", async () => {
    expect(Number((await under("headGoesBack", call(1, "eth_blockNumber"))).result)).toBeLessThan(40)
    const latest = await under("headGoesBack", call(1, "eth_getBlockByNumber", "latest", false))
    expect(Number(latest.result.number)).toBeLessThan(40)
    expect(Number((await under("wrongChainId", call(1, "eth_chainId"))).result)).not.toBe(1337)
    expect((await under("wrongChainId", call(1, "net_version"))).result).toMatch(/^[0-9]+$/)
  })

  it("can have numbers where hex belongs", async () => {
    const { result } = await under("numbersInsteadOfHex", getBlock(4))
    expect([result.number, result.transactions[2].transactionIndex]).toEqual([4, 2])
  })

  it("can be true and look unusual", async () => {
    const { result: upper } = await under("uppercaseHex", getBlock(4))
    expect(upper.hash).toMatch(/^0x[0-9A-F]{64}$/)
    expect(JSON.parse(JSON.stringify(upper).toLowerCase())).toEqual(
      JSON.parse(JSON.stringify(trueBlock(4)).toLowerCase()),
    )
    const { result: more } = await under("unknownFields", getReceipts(4))
    expect(more[0]).toMatchObject(trueReceipts(4)[0])
    expect(more[0].unheardOf).toBeDefined()
    const { result: strange } = await under("hostileStrings", getBlock(4))
    expect(strange).toMatchObject({ hash: chain.hashAt(4) })
    expect(strange.note).toContain("\u0000\ud800")
  })

  it("keeps faults to the calls they have a meaning for", async () => {
    const answerable = faultNames.filter(
      (name) => !/^(http|rpc|id|batch|content|html|empty|trunc|huge|conn|never|slow)/.test(name),
    )
    const { url, counts } = await start({ faults: always(...answerable) })
    expect((await ask(url, call(1, "eth_getCode", `0x${"11".repeat(20)}`, "latest"))).result).toBe("0x")
    expect(Object.values(counts).every((count) => count === 0)).toBe(true)
  })
})

describe("a batch", () => {
  const calls = [getBlock(1, 10), getReceipts(2, 10), getBlock(3, 11), getReceipts(4, 11)]
  const truth = [trueBlock(10), trueReceipts(10), trueBlock(11), trueReceipts(11)]

  it("can be answered in another order", async () => {
    const { url, counts } = await start({ faults: always("batchShuffled") })
    const answers = await ask(url, calls)
    expect(answers.map((a: Json) => a.id)).not.toEqual([1, 2, 3, 4])
    expect(answers.sort((a: Json, b: Json) => a.id - b.id).map((a: Json) => a.result)).toEqual(truth)
    expect(counts.batchShuffled).toBe(1)
  })

  it("can be refused as a whole", async () => {
    const { url } = await start({ faults: always("batchRefused") })
    expect((await ask(url, calls)).error.code).toBe(-32600)
    expect((await ask(url, calls[0])).result).toEqual(truth[0])
  })

  it("can have ids missing, doubled or of another type", async () => {
    const ids = async (name: FaultName) =>
      (await ask((await start({ faults: always(name) })).url, calls)).map((answer: Json) => answer.id)
    expect((await ids("idMissing")).filter((id: unknown) => id === undefined)).toHaveLength(1)
    expect(new Set(await ids("idDuplicated")).size).toBe(3)
    expect((await ids("idWrongType")).filter((id: unknown) => typeof id === "string")).toHaveLength(1)
  })

  it("can mix two branches, and always has some of each", async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { url, counts } = await start({ seed, faults: always("twoForks") })
      const answers = await ask(url, calls)
      const honest = answers.filter(
        (answer: Json, at: number) => JSON.stringify(answer.result) === JSON.stringify(truth[at]),
      )
      expect(honest.length).toBeGreaterThan(0)
      expect(honest.length).toBeLessThan(4)
      expect(answers.map((a: Json) => a.id)).toEqual([1, 2, 3, 4])
      expect(answers.every((a: Json) => a.result !== null)).toBe(true)
      expect(counts.twoForks).toBe(1)
      const pair = await ask(url, calls.slice(0, 2))
      const kept = pair.filter(
        (a: Json, at: number) => JSON.stringify(a.result) === JSON.stringify(truth[at]),
      )
      expect(kept).toHaveLength(1)
    }
  })
})

describe("everything at once", () => {
  it("leaves the server alive, and every fault that is quick gets its turn", async () => {
    const slow: FaultName[] = ["neverAnswers", "slowDrip", "hugeBody"]
    const quick = faultNames.filter((name) => !slow.includes(name))
    // Ten of them take the whole answer, and would leave little for the others.
    const rate = (name: FaultName) => (/^(http|html|empty|trunc|conn|content|batchR)/.test(name) ? 0.04 : 0.1)
    const faults = Object.fromEntries(quick.map((name) => [name, rate(name)]))
    const { url, counts, setFaults } = await start({ faults })
    const head = [call(91, "eth_blockNumber"), call(92, "eth_chainId")]
    for (let round = 0; round < 200; round++) {
      const low = 1 + (round % 38)
      const body = [
        getBlock(1, low),
        getReceipts(2, low),
        getBlock(3, low + 1),
        getReceipts(4, low + 1),
        ...head,
      ]
      await raw(url, body).catch(() => undefined)
    }
    expect(quick.filter((name) => counts[name] === 0)).toEqual([])
    setFaults({})
    expect((await ask(url, getBlock(4))).result).toEqual(trueBlock(4))
  })

  it("answers 502 where the honest node is gone", async () => {
    const gone = await startChainServer({ chain })
    await gone.stop()
    const hostile = await startHostileRpc({ target: gone.url, seed: 1 })
    running.push(hostile)
    expect((await raw(hostile.url, getBlock(4))).status).toBe(502)
  })
})

describe("the connection", () => {
  const wire = (name: FaultName, options: Partial<HostileRpcOptions> = {}) =>
    start({ ...options, faults: always(name) })
  const truth = () => JSON.stringify({ jsonrpc: "2.0", id: 4, result: trueBlock(4) })

  it("can answer with a status instead", async () => {
    for (const [name, status] of [
      ["http500", 500],
      ["http502", 502],
      ["http429", 429],
    ] as const) {
      const answer = await raw((await wire(name)).url, getBlock(4))
      expect([answer.status, answer.headers["retry-after"]]).toEqual([status, undefined])
    }
    const limited = await raw((await wire("http429RetryAfter")).url, getBlock(4))
    expect([limited.status, limited.headers["retry-after"]]).toEqual([429, "1"])
  })

  it("can carry what is not JSON", async () => {
    expect((await raw((await wire("htmlBody")).url, getBlock(4))).text).toMatch(/^<!doctype/)
    expect((await raw((await wire("emptyBody")).url, getBlock(4))).text).toBe("")
    const cut = (await raw((await wire("truncatedJson")).url, getBlock(4))).text
    expect(truth().startsWith(cut)).toBe(true)
    expect(() => JSON.parse(cut)).toThrow(SyntaxError)
  })

  it("can carry more than anyone asked for, until the client leaves", async () => {
    const bodies = []
    for (let seed = 1; seed <= 12; seed++) {
      const { url } = await wire("hugeBody", { seed, hugeBodyBytes: 1_000_000 })
      const { text } = await raw(url, getBlock(4))
      expect(text.length).toBeGreaterThan(1_000_000)
      bodies.push(text.trimStart()[0])
    }
    expect(new Set(bodies)).toEqual(new Set(["{", "x"]))
    const { url, stop } = await wire("hugeBody", { hugeBodyBytes: 200_000_000_000 })
    const answer = await request(url, {
      method: "POST",
      body: JSON.stringify(getBlock(4)),
      dispatcher: patient,
    })
    for await (const chunk of answer.body) if (chunk.length > 0) break
    await stop()
  })

  it("can break in the middle, or promise another length", async () => {
    for (const name of ["connectionReset", "contentLengthTooLong"] as const) {
      const { url, counts } = await wire(name)
      await expect(raw(url, getBlock(4))).rejects.toThrow()
      expect(counts[name]).toBe(1)
    }
    // Clients differ in what they make of a body longer than promised, so the bytes themselves are read.
    const { url } = await wire("contentLengthTooShort")
    const received = await bytesFrom(url, JSON.stringify(getBlock(4)))
    const promised = Number(/content-length: (\d+)/i.exec(received)![1])
    const body = received.slice(received.indexOf("\r\n\r\n") + 4)
    expect(body).toBe(truth())
    expect(promised).toBeLessThan(body.length)
  })

  it("can stay silent until the client gives up", async () => {
    const { url, counts } = await wire("neverAnswers")
    await expect(raw(url, getBlock(4), impatient)).rejects.toMatchObject({ code: "UND_ERR_HEADERS_TIMEOUT" })
    expect(counts.neverAnswers).toBe(1)
  })

  it("can drip the true answer", async () => {
    const { url } = await wire("slowDrip", { dripMs: 400 })
    const started = performance.now()
    expect((await raw(url, getBlock(4))).text).toBe(truth())
    expect(performance.now() - started).toBeGreaterThan(300)
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
