import { afterEach, expect, test } from "vitest"
import { ChainAnswers } from "../../../../test/chain/chain-answers.js"
import { describeBlockSource } from "../../../../test/conformance/block-source.js"
import {
  type Answer,
  answerCalls,
  type RpcRequest,
  type RpcServer,
  startRpcServer,
} from "../../../../test/fixtures/evm/rpc-server.js"
import { type Clock, systemClock } from "../../../platform/clock.js"
import { IndexerError } from "../../../platform/errors.js"
import { silentLogger } from "../../../platform/logger.js"
import { systemRandom } from "../../../platform/random.js"
import { evmFamily } from "../evm-family.js"
import type { EvmBlock } from "../raw/evm-block.js"
import { EvmSource, type EvmSourceOptions } from "./evm-source.js"

const deps = { clock: systemClock, random: systemRandom, logger: silentLogger }
const signal = new AbortController().signal
const timeoutMs = 60_000
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function serve(answer: Answer): Promise<RpcServer> {
  const server = await startRpcServer(answer)
  closers.push(() => server.close())
  return server
}

function sourceOf(
  servers: readonly RpcServer[],
  options: Partial<EvmSourceOptions> = {},
  clock: Clock = systemClock,
): EvmSource {
  const providers = servers.map(({ url }) => ({ url }))
  const source = new EvmSource(
    { ...deps, clock },
    {
      providers,
      backoffMs: 5,
      refetchDelayMs: 5,
      timeoutMs,
      ...options,
    },
  )
  closers.push(() => source.close())
  return source
}

async function collect(source: EvmSource, from: number, to: number): Promise<EvmBlock[]> {
  const out: EvmBlock[] = []
  for await (const batch of source.fetchRange({ from, to }, { signal })) out.push(...batch)
  return out
}

const failure = async (promise: Promise<unknown>): Promise<IndexerError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(IndexerError)
  return error as IndexerError
}

const size = { transactionsPerBlock: 4, logsPerBlock: 6 }
const chain = new ChainAnswers(size)
const eventsAt = (height: number) => chain.block(height).receipts.flatMap(({ logs }) => logs).length
const node = (head = 1000, of = chain) => answerCalls((call) => of.answer(call, head))
/** A node that gives back a changed copy of what `change` names. */
const changing = (change: (call: RpcRequest, result: never) => unknown, of = chain) =>
  answerCalls((call) => {
    const result = JSON.parse(JSON.stringify(of.answer(call, 1000))) as never
    return change(call, result) ?? result
  })
const heights = (blocks: readonly EvmBlock[]) => blocks.map((block) => block.height)
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)
const hexOf = (height: number) => `0x${height.toString(16)}`

describeBlockSource("the EVM source", async () => ({
  open: async (providers) => {
    const servers = await Promise.all(
      providers.map(async ({ head, forkAt, unlinkedAt, isDown }) => {
        const fork = new ChainAnswers({
          ...size,
          forkAt: forkAt ?? Math.max(1, (unlinkedAt ?? 0) - 5),
          forkSeed: 2,
        })
        const from = forkAt ?? unlinkedAt ?? Number.POSITIVE_INFINITY
        const server = await serve(
          answerCalls((call) => (Number(call.params[0]) >= from ? fork : chain).answer(call, head)),
        )
        if (isDown) await server.close()
        return server
      }),
    )
    return sourceOf(servers, { rounds: 1 })
  },
  hash: (height) => chain.hash(height),
  finalityGap: 64,
  close: async () => undefined,
}))

test("every block of a range comes once, in order, with its transactions and events", async () => {
  const server = await serve(node())
  const blocks = await collect(sourceOf([server], { expectedChainId: "1337" }), 0, 137)
  expect(heights(blocks)).toEqual(numbers(0, 137))
  expect(blocks[5]).toMatchObject({
    hash: chain.hash(5),
    parentHash: chain.hash(4),
    transactionCount: 4,
    eventCount: eventsAt(5),
  })
  expect(blocks[5]!.transactions.every((row) => row.extra === null)).toBe(true)
  const batches = server.requests.filter(Array.isArray)
  expect(batches[0]).toHaveLength(20)
  expect(Math.max(...batches.map((batch) => batch.length))).toBeGreaterThan(30)
})

test("the chain's id is asked for when it was not given, so that it needs no room in each transaction", async () => {
  const blocks = await collect(sourceOf([await serve(node())]), 1, 3)
  expect(blocks[0]!.transactions[0]!.extra).toBeNull()
})

test("head and finalized height come in one request; a node without the tag gives null", async () => {
  const server = await serve(node(500))
  expect(await sourceOf([server]).head({ signal })).toEqual({
    height: 500,
    hash: chain.hash(500),
    finalizedHeight: 436,
  })
  expect(server.requests).toHaveLength(1)
  const without = await serve(
    answerCalls((call) => {
      if (call.params[0] === "finalized") throw { code: -32602, message: "unknown tag" }
      return chain.answer(call, 500)
    }),
  )
  expect((await sourceOf([without]).head({ signal })).finalizedHeight).toBeNull()
})

test("identity is the decimal chain id, with zeros for block 0 where a node has pruned it", async () => {
  const pruned = await serve(answerCalls((call) => (call.method === "eth_chainId" ? "0x20000000000001" : null)))
  expect(await sourceOf([pruned]).identity({ signal })).toEqual({
    chainId: "9007199254740993",
    genesisHash: `0x${"0".repeat(64)}`,
  })
})

test("a block that is not there is asked of another provider", async () => {
  const lagging = await serve(node(5))
  expect(await failure(collect(sourceOf([lagging]), 1, 9))).toMatchObject({ height: 6 })
  const blocks = await collect(sourceOf([lagging, await serve(node())]), 1, 9)
  expect(heights(blocks)).toEqual(numbers(1, 9))
})

test.each<[string, (call: RpcRequest) => unknown]>([
  ["-32601", () => ({ code: -32601, message: "?" })],
  ["-32004", () => ({ code: -32004, message: "?" })],
  ["a code of its own", () => ({ code: -32000, message: "not on your plan" })],
  ["a message only", () => "unknown"],
])("a node without eth_getBlockReceipts (%s) is asked receipt by receipt, remembered", async (_name, refusal) => {
  const receipts = new Map<string, unknown>()
  const server = await serve(
    answerCalls((call) => {
      if (call.method === "eth_getBlockReceipts") throw refusal(call)
      if (call.method === "eth_getTransactionReceipt") return receipts.get(call.params[0] as string) ?? null
      if (call.method === "eth_getBlockByNumber") {
        for (const receipt of chain.block(Number(call.params[0])).receipts) {
          receipts.set(receipt["transactionHash"] as string, receipt)
        }
      }
      return chain.answer(call, 1000)
    }),
  )
  const source = sourceOf([server])
  const blocks = await collect(source, 1, 30)
  expect(heights(blocks)).toEqual(numbers(1, 30))
  expect(blocks[3]!.eventCount).toBe(eventsAt(4))
  const before = server.requests.length
  await collect(source, 30, 40)
  const later = server.requests.slice(before).flat() as RpcRequest[]
  expect(later.some((call) => call.method === "eth_getBlockReceipts")).toBe(false)
})

test("a gateway that refuses a request with eth_getBlockReceipts in it by its status is asked receipt by receipt", async () => {
  const honest = answerCalls((call) => {
    if (call.method !== "eth_getTransactionReceipt") return chain.answer(call, 1000)
    const known = numbers(1, 9).flatMap((height) => chain.block(height).receipts)
    return known.find((receipt) => receipt["transactionHash"] === call.params[0])
  })
  const server = await serve((body, response, request) => {
    const calls = Array.isArray(body) ? (body as RpcRequest[]) : [body as RpcRequest]
    if (!calls.some(({ method }) => method === "eth_getBlockReceipts")) return honest(body, response, request)
    return void response.writeHead(403).end("forbidden")
  })
  const source = sourceOf([server])
  expect(heights(await collect(source, 1, 9))).toEqual(numbers(1, 9))
  const before = server.requests.length
  await collect(source, 1, 9)
  // Batches again: they were not what was refused.
  expect(server.requests.slice(before)).toHaveLength(2)
})

test("null receipts for blocks with transactions, again and again, count as a missing method", async () => {
  const server = await serve(
    answerCalls((call) => {
      if (call.method === "eth_getBlockReceipts") return null
      if (call.method !== "eth_getTransactionReceipt") return chain.answer(call, 1000)
      const known = numbers(1, 5).flatMap((height) => chain.block(height).receipts)
      return known.find((receipt) => receipt["transactionHash"] === call.params[0])
    }),
  )
  expect(heights(await collect(sourceOf([server]), 1, 5))).toEqual([1, 2, 3, 4])
})

test("an answer that is too large is asked for in halves, and later batches are smaller", async () => {
  const server = await serve(node())
  const source = sourceOf([server], { maxResponseBytes: 60_000 })
  expect(heights(await collect(source, 1, 40))).toEqual(numbers(1, 40))
  const before = server.requests.length
  await collect(source, 40, 80)
  const sizes = server.requests.slice(before).map((body) => (body as RpcRequest[]).length / 2)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(9)
})

test("batches that mix two forks are asked for again; when the chain stays broken the error has both hashes", async () => {
  const fork = new ChainAnswers({ ...size, forkAt: 5, forkSeed: 2 })
  let healthy = false
  const mixed = await serve(
    answerCalls((call) => (!healthy && Number(call.params[0]) >= 12 ? fork : chain).answer(call, 1000)),
  )
  const error = await failure(collect(sourceOf([mixed]), 1, 30))
  expect(error).toMatchObject({ code: "PARENT_MISMATCH", action: "rollback", height: 12 })
  expect(error.data).toMatchObject({ expected: chain.hash(11), got: fork.hash(11) })
  expect(heights(await collect(sourceOf([mixed, await serve(node())]), 1, 30))).toEqual(numbers(1, 30))
  // The node heals in the pause before it is asked again; the time of a request is the only longer wait.
  const sleep: Clock["sleep"] = (ms, until) => {
    healthy ||= ms < timeoutMs
    return systemClock.sleep(ms, until)
  }
  const source = sourceOf([mixed], {}, { ...systemClock, sleep })
  expect((await collect(source, 1, 30))[20]!.hash).toBe(chain.hash(21))
})

type Block = { transactions: Record<string, unknown>[] } & Record<string, unknown>
type Receipts = (Record<string, unknown> & { logs: Record<string, unknown>[] })[]
const at3 = (call: RpcRequest, method: string) => call.method === method && call.params[0] === "0x3"
const inBlock = (change: (block: Block) => void) => (call: RpcRequest, result: never) =>
  void (at3(call, "eth_getBlockByNumber") && change(result))
const inReceipts = (change: (receipts: Receipts) => void) => (call: RpcRequest, result: never) =>
  void (at3(call, "eth_getBlockReceipts") && change(result))

const lies: [string, string | undefined, (call: RpcRequest, result: never) => unknown][] = [
  ["another height", undefined, inBlock((block) => { block["number"] = hexOf(4) })], // biome-ignore format: table
  ["a hash that is none", undefined, inBlock((block) => { block["hash"] = "0x12" })], // biome-ignore format: table
  ["a time past the database's", undefined, inBlock((block) => { block["timestamp"] = "0x7fffffffffffff" })], // biome-ignore format: table
  ["short receipts", "counts", inReceipts((all) => { all.pop() })], // biome-ignore format: table
  ["no transactions", "counts", (call, result: never) => at3(call, "eth_getBlockByNumber") ? Object.assign(result, { transactions: [] }) : at3(call, "eth_getBlockReceipts") ? [] : undefined], // biome-ignore format: table
  ["swapped transactions", "counts", inBlock((block) => { block.transactions.reverse() })], // biome-ignore format: table
  ["a receipt of another transaction", undefined, inReceipts((all) => { all[0]!["transactionHash"] = all[1]!["transactionHash"] })], // biome-ignore format: table
  ["receipts of another block", "receipts", inReceipts((all) => { all[1]!["blockHash"] = chain.hash(9) })], // biome-ignore format: table
  ["another sender", "receipts", inReceipts((all) => { all[1]!["from"] = all[0]!["from"] })], // biome-ignore format: table
  ["a removed log", "receipts", inReceipts((all) => { all[0]!.logs[0]!["removed"] = true })], // biome-ignore format: table
  ["a log of another transaction", "receipts", inReceipts((all) => { all[0]!.logs[0]!["transactionHash"] = all[1]!["transactionHash"] })], // biome-ignore format: table
  ["gas that falls", "gas", inReceipts((all) => { all[2]!["cumulativeGasUsed"] = "0x1" })], // biome-ignore format: table
  ["other gas than the header's", "gas", inBlock((block) => { block["gasUsed"] = "0x5" })], // biome-ignore format: table
  ["a gap in the log indexes", "logOrder", inReceipts((all) => { all[3]!.logs.at(-1)!["logIndex"] = "0x9" })], // biome-ignore format: table
  ["a missing log", "bloom", inReceipts((all) => { all[3]!.logs.pop() })], // biome-ignore format: table
  ["a changed address", "bloom", inReceipts((all) => { all[3]!.logs[0]!["address"] = `0x${"12".repeat(20)}` })], // biome-ignore format: table
  ["a header bloom of others", "bloom", inBlock((block) => { block["logsBloom"] = `0x${"1".repeat(512)}` })], // biome-ignore format: table
]

test.each(lies)(
  "%s is not stored, is had right from another provider, and the switch is named",
  async (_name, check, change) => {
    const liar = await serve(changing(change))
    const honest = await serve(node())
    const alone = sourceOf([liar])
    const error = await failure(collect(alone, 1, 6))
    expect(error).toMatchObject({
      code: check === undefined ? "VERIFY_FAILED" : "VERIFY_UNSUPPORTED",
      height: 3,
    })
    expect(error.data["check"]).toBe(check ?? "shape")
    if (check !== undefined) expect(error.message).toContain(`${check}: false`)
    const blocks = await collect(sourceOf([liar, honest]), 1, 6)
    expect(heights(blocks)).toEqual([1, 2, 3, 4, 5])
    expect(blocks[2]).toEqual({
      ...(await collect(sourceOf([honest]), 3, 4))[0],
      sourceBytes: blocks[2]!.sourceBytes,
    })
    expect(alone.providers()[0]!.lastError).toContain("VERIFY_FAILED")
  },
)

test("a check that is switched off lets the block through, and keeps what the node said", async () => {
  const liar = await serve(
    changing(inReceipts((all) => void Object.assign(all[0]!, { logsBloom: `0x${"1".repeat(512)}` }))),
  )
  const blocks = await collect(sourceOf([liar], { checks: { bloom: false } }), 1, 6)
  expect(JSON.parse(blocks[2]!.transactions[0]!.extra!)).toEqual({
    receipt: { logsBloom: `0x${"1".repeat(512)}` },
  })
})

const off = { counts: false, receipts: false, gas: false, logOrder: false, bloom: false }

test("a receipt that a node leaves out is missing, and the others stay with their transactions", async () => {
  const liar = await serve(changing(inReceipts((all) => void all.splice(1, 1))))
  expect((await failure(collect(sourceOf([liar]), 1, 6))).data).toMatchObject({ check: "counts", transaction: 1 })
  const [block] = await collect(sourceOf([liar], { checks: off }), 3, 4)
  const [whole] = await collect(sourceOf([await serve(node())]), 3, 4)
  const { transactions, events } = whole!
  expect(block!.events).toEqual(events.filter(({ transactionIndex }) => transactionIndex !== 1))
  expect(block!.transactions.filter(({ index }) => index !== 1)).toEqual(
    transactions.filter(({ index }) => index !== 1),
  )
  expect(block!.transactions[1]).toMatchObject({ status: null, gasUsed: null, eventCount: 0 })
  expect(JSON.parse(block!.transactions[1]!.extra!)).toEqual({ receipt: null })
})

test("receipts in another order than the transactions' are stored with their transactions", async () => {
  const shuffled = await serve(changing(inReceipts((all) => void all.reverse())))
  const [block] = await collect(sourceOf([shuffled]), 3, 4)
  const [whole] = await collect(sourceOf([await serve(node())]), 3, 4)
  expect(block).toEqual({ ...whole, sourceBytes: block!.sourceBytes })
})

test("a receipt of no transaction of the block is never stored, whatever is switched off", async () => {
  const twice = await serve(changing(inReceipts((all) => void all.push(structuredClone(all[1]!)))))
  const foreign = await serve(
    changing(inReceipts((all) => void Object.assign(all[1]!, { transactionHash: `0x${"12".repeat(32)}` }))),
  )
  for (const server of [twice, foreign]) {
    const error = await failure(collect(sourceOf([server], { checks: off }), 3, 4))
    expect(error).toMatchObject({ code: "VERIFY_FAILED", data: { check: "shape" } })
  }
})

test("providers that disagree about a block give VERIFY_FAILED, not a hint to switch a check off", async () => {
  const first = await serve(changing(inReceipts((all) => void all.pop())))
  const second = await serve(changing(inReceipts((all) => void Object.assign(all[0]!, { logsBloom: "0x" }))))
  const error = await failure(collect(sourceOf([first, second]), 1, 6))
  expect(error).toMatchObject({ code: "VERIFY_FAILED", height: 3 })
})

test("what failed a check is named with its transaction, what was sent of it, and where the rest is", async () => {
  const lie = changing(inReceipts((all) => void Object.assign(all[1]!, { blockHash: `0x${"12".repeat(32)}` })))
  const { data } = await failure(collect(sourceOf([await serve(lie)]), 1, 6))
  const [block] = await collect(sourceOf([await serve(node())]), 3, 4)
  expect(data["transactionId"]).toBe(block!.transactions[1]!.id)
  expect(JSON.parse(data["rawData"] as string)).toMatchObject({
    transaction: { hash: data["transactionId"] },
    receipt: { blockHash: `0x${"12".repeat(32)}` },
  })
  expect(data["rawRef"]).toMatch(/^block 3 of 127\.0\.0\.1:\d+$/)
})

test("a chain's DENORMALIZE_EVENTS reaches the writer of its family", async () => {
  const [block] = await collect(sourceOf([await serve(node())]), 5, 6)
  const bytesWith = (familySettings: Readonly<Record<string, unknown>>): number => {
    const writer = evmFamily.createWriter({ familySettings })
    writer.add(block!)
    return writer.byteLength
  }
  expect(bytesWith({ denormalizeEvents: true })).toBeGreaterThan(bytesWith({}))
})

test("addresses and hashes in upper case are stored in lower case and verify", async () => {
  const shouting = await serve(
    changing((call, result) => {
      if (call.method === "eth_chainId") return undefined
      const text = JSON.stringify(result).replace(
        /"0x([0-9a-f]{40,})"/g,
        (_, hex: string) => `"0x${hex.toUpperCase()}"`,
      )
      return JSON.parse(text)
    }),
  )
  const blocks = await collect(sourceOf([shouting]), 1, 4)
  const plain = await collect(sourceOf([await serve(node())]), 1, 4)
  expect(blocks[1]!.hash).toBe(plain[1]!.hash)
  expect(blocks[1]!.events.map(({ extra, ...event }) => event)).toEqual(
    plain[1]!.events.map(({ extra, ...event }) => event),
  )
})

test("what lies fetched and not taken is bounded, and a slow consumer stops the fetching", async () => {
  const server = await serve(node())
  const source = sourceOf([server], { bytesInFlight: 200_000, expectedChainId: "1337" })
  const bytesPerBlock = 13_000
  const iterator = source.fetchRange({ from: 1, to: 900 }, { signal })[Symbol.asyncIterator]()
  const seen: number[] = []
  for (let i = 0; i < 12; i++) {
    const { value } = await iterator.next()
    seen.push(...heights(value as EvmBlock[]))
    await systemClock.sleep(10)
  }
  const asked = (server.requests.filter(Array.isArray) as RpcRequest[][]).reduce(
    (sum, body) => sum + body.length / 2,
    0,
  )
  expect(seen).toEqual(numbers(1, seen.length + 1))
  // Estimates start too high and follow what was seen; a batch in hand counts until the next is asked for.
  expect((asked - seen.length) * bytesPerBlock).toBeLessThan(2 * 200_000)
  await iterator.return?.(undefined)
})

test("two ranges share the bytes and both come to their end", async () => {
  const source = sourceOf([await serve(node())], { bytesInFlight: 50_000 })
  const [a, b] = await Promise.all([collect(source, 1, 60), collect(source, 500, 560)])
  expect(heights(a)).toEqual(numbers(1, 60))
  expect(heights(b)).toEqual(numbers(500, 560))
})

test("the hash of the block below comes with the first request of a range", async () => {
  const server = await serve(node())
  const source = sourceOf([server], { expectedChainId: "1337", maxBatchBlocks: 10 })
  const told: unknown[] = []
  const options = { signal, onParent: (hash: unknown) => told.push(hash) }
  for await (const _ of source.fetchRange({ from: 50, to: 80 }, options)) expect(told).toEqual([chain.hash(49)])
  expect(told).toHaveLength(1)
  const [, ...requests] = server.requests.map((body) => [body].flat().length)
  expect(requests).toEqual([21, 20, 20])
})

test("the hash of the block below comes too where receipts are asked for one by one", async () => {
  const receipts = numbers(50, 60).flatMap((height) => chain.block(height).receipts)
  const server = await serve(
    answerCalls((call) => {
      if (call.method === "eth_getBlockReceipts") throw { code: -32601, message: "?" }
      if (call.method !== "eth_getTransactionReceipt") return chain.answer(call, 1000)
      return receipts.find((receipt) => receipt["transactionHash"] === call.params[0]) ?? null
    }),
  )
  const source = sourceOf([server])
  expect(heights(await collect(source, 50, 60))).toEqual(numbers(50, 60))
  const told: unknown[] = []
  const options = { signal, onParent: (hash: unknown) => told.push(hash) }
  for await (const _ of source.fetchRange({ from: 50, to: 60 }, options)) expect(told).toEqual([chain.hash(49)])
})

test("a block below that cannot be had is no fault of the range", async () => {
  for (const without of [null, { code: -32000, message: "pruned" }]) {
    const server = await serve(
      answerCalls((call) => {
        if (call.params[1] !== false) return chain.answer(call, 1000)
        if (without) throw without
        return null
      }),
    )
    const source = sourceOf([server], { expectedChainId: "1337" })
    const told: unknown[] = []
    const got: EvmBlock[] = []
    const options = { signal, onParent: (hash: unknown) => told.push(hash) }
    for await (const batch of source.fetchRange({ from: 50, to: 60 }, options)) got.push(...batch)
    expect(heights(got)).toEqual(numbers(50, 60))
    expect(told).toEqual([undefined])
  }
})

test("final blocks come from another node than one that lags, and from any that has no notion of finality", async () => {
  const final = async (source: EvmSource): Promise<EvmBlock[]> => {
    const got: EvmBlock[] = []
    for await (const batch of source.fetchRange({ from: 30, to: 60 }, { signal, finalTo: 59 })) got.push(...batch)
    return got
  }
  // It stands still, with block 36 final, on a branch that has lost since.
  const still = await serve(node(100, new ChainAnswers({ ...size, forkAt: 59, forkSeed: 2 })))
  const blocks = await final(sourceOf([still, await serve(node(1000))], { maxBatchBlocks: 10 }))
  expect(heights(blocks)).toEqual(numbers(30, 60))
  expect(blocks.at(-1)!.hash).toBe(chain.hash(59))
  const without = await serve(answerCalls((call) => (call.params[0] === "finalized" ? null : chain.answer(call, 100))))
  expect(heights(await final(sourceOf([without])))).toEqual(numbers(30, 60))
})

test("an abort ends a range promptly, with its requests", async () => {
  let open = 0
  let answered = 0
  const stuck = await serve((body, response, request) => {
    // The first batch is answered: until then the size of the others would be a guess, and they are not sent.
    if (!Array.isArray(body) || answered++ === 0) return node()(body, response, request)
    open++
    response.on("close", () => open--)
    return undefined
  })
  const abort = new AbortController()
  const source = sourceOf([stuck], { expectedChainId: "1337", timeoutMs: 3_600_000 })
  const pending = (async () => {
    for await (const _ of source.fetchRange({ from: 1, to: 500 }, { signal: abort.signal }));
  })()
  while (open < 4) await systemClock.sleep(1)
  abort.abort(new Error("stopping"))
  await expect(pending).rejects.toThrow("stopping")
  while (open > 0) await systemClock.sleep(1)
})

test("a consumer that leaves early gives back all bytes it held, and the source goes on working", async () => {
  const source = sourceOf([await serve(node())], { bytesInFlight: 4_000_000 })
  for (let i = 0; i < 10; i++) {
    for await (const batch of source.fetchRange({ from: 1, to: 900 }, { signal })) {
      expect(batch[0]!.height).toBe(1)
      // Long enough for further batches to arrive and lie there.
      await systemClock.sleep(60)
      break
    }
  }
  const pending = collect(source, 10, 20)
  expect(await Promise.race([pending, systemClock.sleep(60_000)])).toBeDefined()
  expect(heights(await pending)).toEqual(numbers(10, 20))
})

test("a provider whose large answers cannot be read is set aside, and its faults are counted", async () => {
  const big = new ChainAnswers({ transactionsPerBlock: 30, logsPerBlock: 30 })
  const broken = await serve((body, response, request) => {
    const text = JSON.stringify(node(1000, big)(body, response, request))
    return Array.isArray(body) ? text.slice(0, -40) : text
  })
  const source = sourceOf([broken, await serve(node(1000, big))], { maxBatchBlocks: 2 })
  expect(heights(await collect(source, 1, 40))).toEqual(numbers(1, 40))
  expect(source.providers()[0]).toMatchObject({
    // Half open by now on a slow machine.
    state: expect.stringMatching(/open$/),
    lastError: expect.stringContaining("RPC_BAD_RESPONSE"),
  })
  const bad = source.takeCounters().filter((counter) => counter.code === "RPC_BAD_RESPONSE")
  expect(bad.map(({ calls }) => calls)).toEqual([expect.any(Number)])
})
