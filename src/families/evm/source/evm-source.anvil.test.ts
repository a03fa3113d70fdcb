import { createWalletClient, defineChain, http, parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startAnvil, type TestAnvil } from "../../../../test/fixtures/evm/start-anvil.js"
import { waitUntil } from "../../../../test/support/wait-until.js"
import { systemClock } from "../../../platform/clock.js"
import { silentLogger } from "../../../platform/logger.js"
import { systemRandom } from "../../../platform/random.js"
import type { EvmBlock } from "../raw/evm-block.js"
import { EvmSource, type EvmSourceOptions } from "./evm-source.js"
import { EvmHeadWatch } from "./head-watch.js"
import { headerJson, receiptJson, transactionJson } from "./rebuild-json.js"

const deps = { clock: systemClock, random: systemRandom, logger: silentLogger }
const signal = new AbortController().signal
const account = privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80")
const authority = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d")
const other = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
// Emits a log with two topics and 32 bytes of data whenever it is called; reverts when it is sent value.
const runtime = "3415600a5760006000fd5b602a6000526001600260206000a200"
const creation = `0x601a600c600039601a6000f3${runtime}` as const

async function fill(anvil: TestAnvil, types: readonly string[]): Promise<void> {
  const chain = defineChain({
    id: 31337,
    name: "anvil",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [anvil.url] } },
  })
  const wallet = createWalletClient({ account, chain, transport: http() })
  await anvil.rpc("anvil_setBalance", account.address, "0x3635c9adc5dea00000")
  await anvil.rpc("evm_setAutomine", false)
  let nonce = 0
  const gas = 200_000n
  await wallet.sendTransaction({ data: creation, gas, nonce: nonce++ })
  await anvil.rpc("evm_mine")
  const receipt = (await anvil.rpc("eth_getBlockReceipts", "0x1")) as { contractAddress: `0x${string}` }[]
  const to = receipt[0]!.contractAddress
  const maxFeePerGas = 5_000_000_000n
  for (let i = 0; i < 24; i++) {
    const type = types[i % types.length]!
    const accessList = [{ address: to, storageKeys: [`0x${"0".repeat(63)}1` as const] }]
    if (type === "legacy")
      await wallet.sendTransaction({
        type,
        to: other,
        value: parseEther("0.1"),
        gas,
        gasPrice: maxFeePerGas,
        nonce: nonce++,
      })
    if (type === "eip2930")
      await wallet.sendTransaction({ type, to, accessList, gas, gasPrice: maxFeePerGas, nonce: nonce++ })
    if (type === "eip1559")
      await wallet.sendTransaction({
        type,
        to,
        value: i > 12 ? 1n : 0n,
        gas,
        maxFeePerGas,
        maxPriorityFeePerGas: 1n,
        nonce: nonce++,
      })
    if (type === "eip7702") {
      const authorization = await wallet.signAuthorization({
        account: authority,
        contractAddress: to,
        nonce: i,
      })
      await wallet.sendTransaction({
        type,
        to,
        authorizationList: [authorization],
        gas,
        maxFeePerGas,
        nonce: nonce++,
      })
    }
    if (i % 8 === 7) await anvil.rpc("evm_mine")
  }
  await anvil.rpc("evm_mine")
}

async function collect(options: EvmSourceOptions, from: number, to: number): Promise<EvmBlock[]> {
  const source = new EvmSource(deps, { refetchDelayMs: 5, ...options })
  try {
    const out: EvmBlock[] = []
    for await (const batch of source.fetchRange({ from, to }, { signal })) out.push(...batch)
    return out
  } finally {
    await source.close()
  }
}

const running: TestAnvil[] = []
let cancun: TestAnvil
beforeAll(async () => {
  cancun = await startAnvil({ args: ["--hardfork", "cancun"] })
  running.push(cancun)
  await fill(cancun, ["legacy", "eip2930", "eip1559"])
})
afterAll(async () => {
  for (const anvil of running) await anvil.stop()
})

test.each([
  ["shanghai", ["legacy", "eip1559"]],
  ["cancun", ["legacy", "eip2930", "eip1559"]],
  ["prague", ["legacy", "eip2930", "eip1559", "eip7702"]],
])(
  "blocks of a real node under %s verify down to their roots and rebuild to what it sent",
  async (hardfork, types) => {
    const anvil = hardfork === "cancun" ? cancun : await startAnvil({ args: ["--hardfork", hardfork] })
    if (anvil !== cancun) {
      running.push(anvil)
      await fill(anvil, types)
    }
    const head = Number(await anvil.rpc("eth_blockNumber"))
    const blocks = await collect(
      { providers: [{ url: anvil.url }], expectedChainId: "31337", verify: "roots" },
      0,
      head + 1,
    )
    expect(blocks).toHaveLength(head + 1)
    expect(blocks.reduce((sum, block) => sum + block.transactionCount, 0)).toBe(25)
    expect(blocks.reduce((sum, block) => sum + block.eventCount, 0)).toBeGreaterThan(4)
    for (const block of blocks) {
      const number = `0x${block.height.toString(16)}`
      const sent = (await anvil.rpc("eth_getBlockByNumber", number, true)) as Record<string, unknown>
      const receipts = await anvil.rpc("eth_getBlockReceipts", number)
      const transactions = block.transactions.map((row) => transactionJson(row, block, { chainId: "0x7a69" }))
      expect({ ...headerJson(block), transactions }).toEqual(sent)
      const of = (i: number) => block.events.filter((event) => event.transactionIndex === i)
      expect(block.transactions.map((row, i) => receiptJson(row, of(i), block))).toEqual(receipts)
    }
  },
)

test("roots of blocks with more transactions than one byte of index can count are right", async () => {
  const anvil = await startAnvil({ args: ["--hardfork", "cancun"] })
  running.push(anvil)
  await anvil.rpc("evm_setAutomine", false)
  for (const count of [1, 127, 128, 129, 140, 260]) {
    const send = () =>
      anvil.rpc("eth_sendTransaction", { from: account.address, to: other, value: "0x1", gas: "0x5208" })
    for (let i = 0; i < count; i++) await send()
    await anvil.rpc("evm_mine")
  }
  const blocks = await collect({ providers: [{ url: anvil.url }], verify: "roots" }, 1, 7)
  expect(blocks.map((block) => block.transactionCount)).toEqual([1, 127, 128, 129, 140, 260])
})

test("a plain transfer on a real node needs no extra", async () => {
  const [block] = await collect({ providers: [{ url: cancun.url }], expectedChainId: "31337" }, 2, 3)
  const plain = block!.transactions.filter((row) => row.type !== 1)
  expect(plain.length).toBeGreaterThan(3)
  expect(plain.map((row) => row.extra).filter((extra) => extra !== null)).toEqual([])
})

test("identity, head and hashes are those of the node", async () => {
  const source = new EvmSource(deps, { providers: [{ url: cancun.url }] })
  const head = await source.head({ signal })
  const latest = (await cancun.rpc("eth_getBlockByNumber", "latest", false)) as { hash: string }
  expect(head).toMatchObject({ hash: latest.hash, finalizedHeight: expect.any(Number) })
  expect(await source.identity({ signal })).toMatchObject({ chainId: "31337" })
  expect(await source.blockHash(head.height, { signal })).toBe(latest.hash)
  await source.close()
})

test("new heads come by WebSocket, nobody calls it live while it is away, and it comes back", async () => {
  let anvil = await startAnvil({ args: ["--hardfork", "cancun"] })
  const watch = new EvmHeadWatch(deps, { wsUrls: [anvil.wsUrl], idleTimeoutMs: 2000 })
  const heads: { height: number; hash: string }[] = []
  watch.start((head) => heads.push(head))
  const seen = async (node: TestAnvil) => {
    // Blocks are mined until one is announced: subscribing takes a moment.
    for (let i = 0; i < 200; i++) {
      await node.rpc("evm_mine")
      const { hash } = (await node.rpc("eth_getBlockByNumber", "latest", false)) as { hash: string }
      for (let k = 0; k < 10; k++) {
        if (heads.some((head) => head.hash === hash)) return true
        await systemClock.sleep(10)
      }
    }
    return false
  }
  expect(watch.live).toBe(false)
  expect(await seen(anvil)).toBe(true)
  expect(watch.live).toBe(true)
  await anvil.stop()
  await waitUntil(() => !watch.live, { what: "the socket known as gone" })
  anvil = await startAnvil({ args: ["--hardfork", "cancun"], port: anvil.port })
  running.push(anvil)
  expect(await seen(anvil)).toBe(true)
  await watch.stop()
  const count = heads.length
  await anvil.rpc("evm_mine")
  await systemClock.sleep(50)
  expect(heads).toHaveLength(count)
})
