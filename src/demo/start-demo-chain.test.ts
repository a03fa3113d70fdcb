import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { decodeAbiParameters, encodeFunctionData, hexToString, toFunctionSelector } from "viem"
import { afterEach, beforeEach, expect, test } from "vitest"
import { summarizeChain } from "../../test/support/summarize-chain.js"
import { waitUntil } from "../../test/support/wait-until.js"
import { systemClock } from "../platform/clock.js"
import { silentLogger } from "../platform/logger.js"
import { readAnvilRecord } from "./anvil-record.js"
import { AnvilRpc } from "./anvil-rpc.js"
import { makeContractBook } from "./contract-book.js"
import { Collectible } from "./contracts.generated.js"
import { type DemoChain, type DemoChainOptions, startDemoChain } from "./start-demo-chain.js"

let directory: string
const cleanups: (() => Promise<void>)[] = []

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tidemark-demo-"))
})

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  await rm(directory, { recursive: true, force: true })
})

async function start(options: Partial<DemoChainOptions> = {}): Promise<{ chain: DemoChain; rpc: AnvilRpc }> {
  const chain = await startDemoChain({
    ...{ directory, clock: systemClock, logger: silentLogger, historyBlocks: 24, blockTimeMs: 300 },
    ...options,
  })
  const rpc = new AnvilRpc(chain.httpUrl)
  cleanups.push(chain.stop, () => rpc.close())
  return { chain, rpc }
}

const heightOf = async (rpc: AnvilRpc) => Number(await rpc.call<string>("eth_blockNumber"))

const eventually = (condition: () => Promise<boolean>): Promise<boolean> =>
  waitUntil(condition, { what: String(condition) })

const pidOf = async () => (await readAnvilRecord(directory))!.pid

test("history has every kind of event, every transaction type, failures and creations", async () => {
  const progress: number[] = []
  const began = Math.floor(systemClock.now() / 1000)
  const { chain, rpc } = await start({
    historyBlocks: 300,
    blockTimeMs: 1000,
    onProgress: ({ made }) => progress.push(made),
  })
  const summary = await summarizeChain(rpc, { from: 0, to: 301 })

  expect(chain.origin).toBe("fresh")
  expect(progress).toEqual(Array.from({ length: 300 }, (_, i) => i + 1))
  expect(Object.keys(summary.byType).sort()).toEqual(["0x0", "0x1", "0x2"])
  expect(Object.keys(summary.byEvent).sort()).toEqual(
    [
      ...["Transfer/1", "Transfer/3", "Transfer/4", "Approval/3", "Approval/4", "ApprovalForAll/3"],
      ...["TransferSingle/4", "TransferBatch/4", "URI/2", "Deposit/2", "Withdrawal/2"],
      ...["PairCreated/3", "Sync/1", "Swap/3", "Mint/2", "Burn/3", "Born/2", "Note/2"],
      ...["ContractCreation/2", "ContractCreation/3", "(no topics)", "(unknown)/4"],
    ].sort(),
  )
  expect(summary.failed).toBeGreaterThan(50)
  expect(summary.failed).toBeLessThan(summary.transactions / 8)
  expect(summary.creations).toBeGreaterThan(30)
  expect(summary.emptyBlocks).toBeGreaterThan(5)
  expect(summary.largestBlock).toBeGreaterThan(30)
  expect(summary.largestBlock).toBeLessThanOrEqual(42)
  expect(summary.accounts).toBeGreaterThan(200)

  const times = await rpc.callAll<{ timestamp: string }>(
    Array.from({ length: 301 }, (_, i) => ({
      method: "eth_getBlockByNumber",
      params: [`0x${i.toString(16)}`, false],
    })),
  )
  const steps = times.slice(1).map(({ timestamp }, i) => Number(timestamp) - Number(times[i]!.timestamp))
  expect(new Set(steps)).toEqual(new Set([1]))
  expect(Number(times[300]!.timestamp)).toBeLessThanOrEqual(systemClock.now() / 1000)
  expect(Number(times[300]!.timestamp)).toBeGreaterThanOrEqual(began)
  // An indexer of history reads code and metadata at its heights.
  expect(await rpc.call("eth_getBalance", `0x${"0".repeat(39)}4`, "0x64")).toBe("0x0")
})

test("the same seed and first timestamp give the same blocks, another seed gives others", async () => {
  const build = async (seed: string) => {
    const { chain, rpc } = await start({
      seed,
      genesisTimestamp: 1_700_000_000,
      directory: join(directory, seed),
    })
    const summary = await summarizeChain(rpc, { from: 0, to: 25 })
    await chain.stop()
    await rm(join(directory, seed), { recursive: true })
    return summary
  }
  const first = await build("one")
  const second = await build("one")
  const other = await build("two")

  expect(second.logs).toEqual(first.logs)
  expect(second.hashes).toEqual(first.hashes)
  expect(other.logs).not.toEqual(first.logs)
})

test("a restart keeps blocks, receipts and logs, and the chain and its traffic continue", async () => {
  const { chain, rpc } = await start()
  await eventually(async () => (await heightOf(rpc)) >= 26)
  const before = await summarizeChain(rpc, { from: 0, to: 27 })
  const receipts = await rpc.call("eth_getBlockReceipts", "0x14")
  const logs = await rpc.call("eth_getLogs", { fromBlock: "0x0", toBlock: "0x1a" })
  await chain.stop()
  // A node that creates another first block at each start saves both, and later serves either.
  const state = JSON.parse(await readFile(join(directory, "anvil-state.json"), "utf8"))
  const heights = state.blocks.map(({ header }: { header: { number: string } }) => Number(header.number))
  expect(new Set(heights).size).toBe(heights.length)

  const again = await start()
  expect(again.chain).toMatchObject({ origin: "resumed", httpUrl: chain.httpUrl })
  const height = await heightOf(again.rpc)
  await eventually(async () => (await heightOf(again.rpc)) > height + 4)
  expect(await summarizeChain(again.rpc, { from: 0, to: 27 })).toEqual(before)
  expect(await again.rpc.call("eth_getBlockReceipts", "0x14")).toEqual(receipts)
  expect(await again.rpc.call("eth_getLogs", { fromBlock: "0x0", toBlock: "0x1a" })).toEqual(logs)
  // On a busy machine the first blocks may be mined before the first transaction.
  await eventually(async () => {
    const to = (await heightOf(again.rpc)) + 1
    return (await summarizeChain(again.rpc, { from: height + 1, to })).transactions > 0
  })
  // Its clock is the real time again.
  const now = systemClock.now() / 1000
  const then = await heightOf(again.rpc)
  await eventually(async () => (await heightOf(again.rpc)) > then)
  const tip = await again.rpc.call<{ timestamp: string }>("eth_getBlockByNumber", "latest", false)
  expect(Number(tip.timestamp)).toBeGreaterThan(now - 3)
})

test("a killed node is restarted at its address with its history, and traffic continues", async () => {
  const { rpc } = await start()
  const before = await summarizeChain(rpc, { from: 0, to: 25 })
  process.kill(await pidOf(), "SIGKILL")
  await eventually(async () => (await heightOf(rpc)) > 27)
  expect(await summarizeChain(rpc, { from: 0, to: 25 })).toEqual(before)
  const height = await heightOf(rpc)
  await eventually(async () => {
    const to = (await heightOf(rpc)) + 1
    return (await summarizeChain(rpc, { from: height + 1, to })).transactions > 0
  })
})

test("a node that outlived its parent is adopted", async () => {
  const { chain } = await start()
  const pid = await pidOf()
  // As after kill -9 of the first process: its node still runs.
  const again = await start()
  expect(again.chain.origin).toBe("adopted")
  expect(again.chain.httpUrl).toBe(chain.httpUrl)
  expect(await pidOf()).toBe(pid)
})

test("another process that reuses the node's id is left alone", async () => {
  await writeFile(
    join(directory, "anvil.json"),
    JSON.stringify({ pid: process.pid, port: 1, phase: "live", genesisTimestamp: 1, stopped: false }),
  )
  const { chain } = await start()
  expect(chain.origin).toBe("fresh")
  await chain.stop()
  expect(await pidOf()).not.toBe(process.pid)
})

test("an incomplete state file leads to a new chain instead of a failure", async () => {
  const { chain } = await start()
  await chain.stop()
  const file = join(directory, "anvil-state.json")
  const text = await readFile(file, "utf8")
  await writeFile(file, text.slice(0, text.length / 2))
  const again = await start()
  expect(again.chain.origin).toBe("fresh")
  expect(await heightOf(again.rpc)).toBeGreaterThanOrEqual(24)
})

test("the next process finishes the history of a killed one, and nothing is deployed twice", async () => {
  const stopping = new AbortController()
  const onProgress = ({ made }: { made: number }) => {
    if (made === 2) stopping.abort()
  }
  await start({ signal: stopping.signal, onProgress })
  const { chain, rpc } = await start()
  expect(chain.origin).toBe("adopted")
  const summary = await summarizeChain(rpc, { from: 0, to: 25 })
  expect(summary.transactions).toBeGreaterThan(100)
  const [deployer] = await rpc.call<string[]>("eth_accounts")
  // 14 contracts, 3 pairs, 5 token mints, 1 mint of goods.
  expect(Number(await rpc.call("eth_getTransactionCount", deployer, "latest"))).toBe(23)
})

test("history that was stopped before its end is created again", async () => {
  const stopping = new AbortController()
  const onProgress = ({ made }: { made: number }) => {
    if (made === 3) stopping.abort()
  }
  const { chain } = await start({ signal: stopping.signal, onProgress })
  await chain.stop()
  const again = await start()
  expect(again.chain.origin).toBe("fresh")
  expect(await heightOf(again.rpc)).toBeGreaterThanOrEqual(24)
})

test("token metadata is what an indexer meets on real chains: text, bytes32, and hostile", async () => {
  const { rpc } = await start()
  const [deployer] = await rpc.call<`0x${string}`[]>("eth_accounts")
  const { addresses } = makeContractBook(deployer!)
  const read = (to: string, signature: string) =>
    rpc.call<`0x${string}`>("eth_call", { to, data: toFunctionSelector(signature) }, "latest")
  expect(decodeAbiParameters([{ type: "string" }], await read(addresses.coin, "name()"))).toEqual(["Coin of the Quay"])
  expect(BigInt(await read(addresses.coin, "decimals()"))).toBe(6n)
  expect(BigInt(await read(addresses.points, "decimals()"))).toBe(0n)
  expect(hexToString(await read(addresses.harbourMaster, "symbol()"), { size: 32 })).toBe("HMR")
  const hostile = Buffer.from((await read(addresses.hostile, "name()")).slice(2), "hex")
  expect(hostile.length).toBeGreaterThan(5_000)
  expect(hostile.includes("Free\0Money <script>")).toBe(true)
  expect(hostile.includes("\u202e")).toBe(true)
  expect(hostile.includes(Buffer.from([0xff, 0xfe]))).toBe(true)
  // The setup mints twelve collectibles.
  const lastId = await rpc.call<string>(
    "eth_call",
    { to: addresses.collectible, data: encodeFunctionData({ abi: Collectible.abi, functionName: "lastId" }) },
    "latest",
  )
  expect(BigInt(lastId)).toBeGreaterThanOrEqual(12n)
})
