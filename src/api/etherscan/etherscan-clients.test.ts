// What clients that nobody here wrote make of the answers: ethers, with the subclass of the documents; viem, whose parsers
// want what a node sends; Foundry's cast; and hardhat-verify, whose requests are here as it sends them.

import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import type { EtherscanProvider, Filter, Log } from "ethers"
import { createPublicClient, custom, parseAbi } from "viem"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningChainServer, startChainServer } from "../../../test/support/chain-server.js"
import { curlsOf, examplesOf, importExample } from "../../../test/support/doc-examples.js"
import { type ServedStore, serveStore } from "../../../test/support/served-store.js"
import { hasTestBinary, testBinary } from "../../../test/support/test-binary.js"
import type { EvmBlock } from "../../families/evm/raw/evm-block.js"
import { EvmSource } from "../../families/evm/source/evm-source.js"
import { systemClock } from "../../platform/clock.js"
import { silentLogger } from "../../platform/logger.js"
import { systemRandom } from "../../platform/random.js"

type TidemarkProvider = EtherscanProvider & {
  getHistory(address: string): Promise<{ hash: string; isError: string }[]>
  getLogs(filter: Filter): Promise<Log[]>
}

const page = "docs/reference/etherscan.md"
const newest = 12
const coin = `0x${"c0".repeat(20)}`
const coinAbi = parseAbi(["event Sent(address indexed to, uint256 value)", "function send(address to) returns (bool)"])
const fetched: EvmBlock[] = []
let node: RunningChainServer
let served: ServedStore
let provider: TidemarkProvider

beforeAll(async () => {
  node = await startChainServer({
    blocks: newest,
    transactionsPerBlock: 6,
    logsPerBlock: 12,
    holders: 8,
    realRoots: true,
  })
  const source = new EvmSource(
    { clock: systemClock, random: systemRandom, logger: silentLogger },
    { providers: [{ url: node.url }] },
  )
  const signal = new AbortController().signal
  const { genesisHash } = await source.identity({ signal })
  for await (const batch of source.fetchRange({ from: 1, to: newest + 1 }, { signal })) fetched.push(...batch)
  await source.close()
  const genesis = { height: 0, hash: genesisHash.slice(2), timestamp: "2023-11-14T22:13:20Z", baseFee: 1 }
  served = await serveStore([{ ...genesis, transactions: [] }], {
    fetched,
    abis: [{ name: "Coin", address: coin, abi: coinAbi }],
  })
  await served.store.raw.query("update raw.chain_state set head_height = $1, finalized_height = 4", [newest])
  const [code] = examplesOf(page, { language: "js", url: served.url })
  const { TidemarkProvider: Provider } = await importExample<{
    TidemarkProvider: new (url: string, chainId: number) => TidemarkProvider
  }>("ethers", code!)
  provider = new Provider(served.url, 1337)
}, 60_000)
afterAll(async () => {
  provider.destroy()
  await served.close()
  await node.stop()
})

const some = () => fetched[4]!.transactions[0]!

async function fromNode(method: string, params: unknown[]): Promise<Record<string, unknown>> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  const response = await fetch(node.url, { method: "POST", body, headers: { "content-type": "application/json" } })
  return ((await response.json()) as { result: Record<string, unknown> }).result
}
const fromProxy = async (query: string) => (await served.get(`/api?module=proxy&${query}`)).json.result

describe("module proxy", () => {
  test("answers as the node did, field by field", async () => {
    const { id: hash, index } = some()
    const full = await fromNode("eth_getBlockByNumber", ["0x5", true])
    const receipts = await fromNode("eth_getBlockReceipts", ["0x5"])
    for (const [query, expected] of [
      [`action=eth_getTransactionByHash&txhash=${hash}`, (full["transactions"] as unknown[])[index]],
      [`action=eth_getTransactionReceipt&txhash=${hash}`, (receipts as unknown as unknown[])[index]],
      ["action=eth_getBlockByNumber&tag=0x5&boolean=true", full],
      ["action=eth_getBlockByNumber&tag=0x5&boolean=false", await fromNode("eth_getBlockByNumber", ["0x5", false])],
    ] as const)
      expect(await fromProxy(query), query).toEqual(expected)
    expect(await fromProxy("action=eth_blockNumber")).toBe("0xc")
    expect(await fromProxy("action=eth_getBlockByNumber&tag=0xd&boolean=true")).toBe(null)
    expect((await fromProxy("action=eth_getBlockByNumber&tag=finalized&boolean=false")).number).toBe("0x4")
    expect(await fromProxy(`action=eth_getTransactionReceipt&txhash=0x${"ee".repeat(32)}`)).toBe(null)
  })

  test("and so does the raw form of a transaction with its receipt", async () => {
    const { id: hash, index } = some()
    const full = await fromNode("eth_getBlockByNumber", ["0x5", true])
    const receipts = (await fromNode("eth_getBlockReceipts", ["0x5"])) as unknown as unknown[]
    const { status, json } = await served.get(`/v1/test/transactions/${hash}/raw`)
    expect([status, json.meta.required_workers]).toEqual([200, ["raw_ingester"]])
    expect(json.data).toEqual({ transaction: (full["transactions"] as unknown[])[index], receipt: receipts[index] })
    expect((await served.get(`/v1/test/transactions/0x${"ee".repeat(32)}/raw`)).status).toBe(404)
  })

  test("does not say of what is missing that it does not exist", async () => {
    await served.store.raw.query("update raw.coverage set heights = '{[0,3),[8,13)}'")
    const unknown = (
      await served.get(`/api?module=proxy&action=eth_getTransactionReceipt&txhash=0x${"ee".repeat(32)}`)
    ).json
    const missing = (await served.get("/api?module=proxy&action=eth_getBlockByNumber&tag=0x5&boolean=true")).json
    await served.store.raw.query("update raw.coverage set heights = '{[0,13)}'")
    expect(unknown.error.message).toContain("others are missing")
    expect(missing.error.message).toBe("block 5 is not indexed")
  })
})

describe("ethers", () => {
  test("reads blocks, transactions and receipts", async () => {
    expect(await provider.getBlockNumber()).toBe(newest)
    const block = await provider.getBlock(5, true)
    expect(block?.hash).toBe(fetched[4]!.hash)
    expect(block?.prefetchedTransactions.map(({ hash }) => hash)).toEqual(fetched[4]!.transactions.map(({ id }) => id))
    const transaction = await provider.getTransaction(some().id)
    expect(transaction).toMatchObject({ hash: some().id, blockNumber: 5, chainId: 1337n })
    const receipt = await provider.getTransactionReceipt(some().id)
    expect(receipt?.logs).toHaveLength(some().eventCount)
    expect(await provider.getTransactionReceipt(`0x${"ee".repeat(32)}`)).toBe(null)
  })

  test("reads the history of an account, and nothing of one without", async () => {
    const history = await provider.getHistory(some().from!)
    const own = fetched.flatMap(({ transactions }) =>
      transactions.filter(({ from, to }) => [from, to].includes(some().from)),
    )
    expect(history.map(({ hash }) => hash)).toEqual(own.map(({ id }) => id))
    expect(await provider.getHistory(`0x${"ee".repeat(20)}`)).toEqual([])
  })

  test("reads logs by contract and topic", async () => {
    const event = fetched.flatMap(({ events }) => events)[0]!
    const logs = await provider.getLogs({ address: event.address!, topics: [event.topics[0]!] })
    const same = fetched.flatMap(({ events }) =>
      events.filter(({ address, topics }) => address === event.address && topics[0] === event.topics[0]),
    )
    expect(logs.map(({ blockNumber, index }) => [blockNumber, index])).toEqual(
      same.map((one) => [fetched.findIndex(({ events }) => events.includes(one)) + 1, one.index]),
    )
    expect(await provider.getLogs({ address: `0x${"ee".repeat(20)}` })).toEqual([])
  })

  test("is told why an answer was refused", async () => {
    const refused = provider.fetch("account", { action: "txlistinternal", address: some().from })
    await expect(refused).rejects.toMatchObject({ info: { result: { message: "NOTOK" } } })
  })
})

test("viem parses blocks, transactions and receipts", async () => {
  const actions: Record<string, (params: readonly unknown[]) => string> = {
    eth_blockNumber: () => "",
    eth_getBlockByNumber: ([tag, isFull]) => `&tag=${tag}&boolean=${isFull}`,
    eth_getTransactionByHash: ([hash]) => `&txhash=${hash}`,
    eth_getTransactionReceipt: ([hash]) => `&txhash=${hash}`,
  }
  const client = createPublicClient({
    transport: custom({
      request: async ({ method, params = [] }: { method: string; params?: readonly unknown[] }) =>
        fromProxy(`action=${method}${actions[method]!(params)}`),
    }),
  })
  expect(await client.getBlockNumber()).toBe(12n)
  const block = await client.getBlock({ blockNumber: 5n, includeTransactions: true })
  expect(block.transactions.map(({ hash }) => hash)).toEqual(fetched[4]!.transactions.map(({ id }) => id))
  const receipt = await client.getTransactionReceipt({ hash: some().id as `0x${string}` })
  expect([receipt.status, receipt.blockNumber, receipt.logs.length]).toEqual(["success", 5n, some().eventCount])
})

test.skipIf(!hasTestBinary("cast"))(
  "cast shows the interface of a contract whose ABI is known",
  async () => {
    const cwd = await mkdtemp(join(tmpdir(), "tidemark-cast-"))
    const [toml] = examplesOf(page, { language: "toml", url: served.url })
    await writeFile(join(cwd, "foundry.toml"), toml!.replace("31337", "1337"))
    // It keeps what it was told in its home.
    const options = { cwd, env: { HOME: cwd, NO_PROXY: "127.0.0.1" } }
    const cast = (...args: string[]) =>
      promisify(execFile)(join(testBinary("cast"), "bin", "cast"), [...args, "--chain", "1337"], options)
    const { stdout } = await cast("interface", coin)
    await expect(cast("interface", `0x${"ee".repeat(20)}`)).rejects.toThrow("Contract source code not verified")
    await rm(cwd, { recursive: true })
    expect(stdout).toContain("interface Coin {")
    expect(stdout).toContain("event Sent(address indexed to, uint256 value);")
    expect(stdout).toContain("function send(address to) external returns (bool);")
  },
  30_000,
)

test("hardhat-verify is told that no sources are kept, by the answers that it understands", async () => {
  const body = new URLSearchParams({
    ...{ contractaddress: coin, codeformat: "solidity-standard-json-input", contractname: "a.sol:A" },
    ...{ sourceCode: "{}", compilerversion: "v0.8.19+commit.7dd6d404" },
  })
  const inBody = new URLSearchParams([...body, ["apikey", "none"], ["module", "contract"]])
  inBody.set("action", "verifysourcecode")
  const headers = { "content-type": "application/x-www-form-urlencoded" }
  const send = async (path: string, form?: URLSearchParams) => {
    const init = form ? { method: "POST", body: form.toString(), headers } : {}
    const response = await fetch(`${served.url}${path}`, init)
    return { code: response.status, ...((await response.json()) as object) }
  }
  // Version 2 names the action in the body, version 3 in the query.
  const query = "chainid=1337&apikey=none&module=contract&action="
  for (const refused of [
    await send("/api", inBody),
    await send(`/v2/api?${query}verifysourcecode`, body),
    await send(`/api?${query}checkverifystatus&guid=abc`),
  ])
    expect(refused).toMatchObject({ code: 200, status: "0", result: expect.stringContaining("sources are not kept") })
  // It takes a contract for verified where there is a source.
  for (const path of ["/api", "/v2/api"])
    expect(await send(`${path}?${query}getsourcecode&address=${coin}`)).toMatchObject({
      ...{ status: "1", message: "OK", result: [{ SourceCode: "", ContractName: "Coin" }] },
    })
})

describe(page, () => {
  test("its requests and its ethers code run", async () => {
    const curls = examplesOf(page, { language: "sh", url: served.url }).flatMap(curlsOf)
    expect(curls.length).toBeGreaterThan(0)
    for (const url of curls)
      expect(await (await fetch(url)).json()).toMatchObject({ message: "No transactions found" })
    const [definition, use] = examplesOf(page, { language: "js", url: served.url })
    const code = `${definition}\n${use!.replace("31337", "1337")}\nexport { block, history }\nprovider.destroy()`
    const { block, history } = await importExample<{ block: { number: number }; history: unknown[] }>(
      "ethers-use",
      code,
    )
    expect(block.number).toBe(newest)
    expect(Array.isArray(history)).toBe(true)
  })
})
