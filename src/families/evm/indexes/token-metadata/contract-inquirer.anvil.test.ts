import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Address, Hex } from "viem"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { startAnvil, type TestAnvil } from "../../../../../test/fixtures/evm/start-anvil.js"
import { waitUntil } from "../../../../../test/support/wait-until.js"
import { makeContractBook } from "../../../../demo/contract-book.js"
import { systemClock } from "../../../../platform/clock.js"
import { silentLogger } from "../../../../platform/logger.js"
import { systemRandom } from "../../../../platform/random.js"
import { EvmSource } from "../../source/evm-source.js"
import { ContractInquirer, type MetadataOutcome } from "./contract-inquirer.js"
import { decimalsOf, textOf } from "./metadata-answer.js"
import { multicallAddress } from "./multicall.js"

const deps = { clock: systemClock, random: systemRandom, logger: silentLogger }
const signal = new AbortController().signal
const deployer: Address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
const spinner = `0x${"51".repeat(20)}`
const flooder = `0x${"52".repeat(20)}`

let anvil: TestAnvil
let source: EvmSource
const book = makeContractBook(deployer)

async function deploy(data: Hex): Promise<string> {
  const hash = await anvil.rpc("eth_sendTransaction", { from: deployer, data, gas: "0x895440" })
  // The node answers before it has mined.
  const receipt = await waitUntil(
    () => anvil.rpc("eth_getTransactionReceipt", hash) as Promise<{ contractAddress: string } | null>,
    { what: "the receipt of a deployment", everyMs: 5 },
  )
  return receipt.contractAddress
}

beforeAll(async () => {
  anvil = await startAnvil()
  for (const data of book.deployments) await deploy(data)
  await anvil.rpc("anvil_setCode", spinner, "0x5b600056")
  // Returns ten megabytes of zeros, if it can pay for them.
  await anvil.rpc("anvil_setCode", flooder, "0x629896806000f3")
  source = new EvmSource(deps, { providers: [{ url: anvil.url }] })
})
afterAll(async () => {
  await source?.close()
  await anvil?.stop()
})

async function ask(contracts: readonly string[]): Promise<Map<string, MetadataOutcome>> {
  const block = await source.head({ signal })
  const found = new Map<string, MetadataOutcome>()
  for await (const outcomes of new ContractInquirer(source).ask({ contracts, block, signal }))
    for (const outcome of outcomes) found.set(outcome.contract, outcome)
  return found
}

function askAll(): Promise<Map<string, MetadataOutcome>> {
  const names = ["dollar", "coin", "points", "harbourMaster", "hostile", "weth", "reverter", "multiToken"] as const
  // Those that burn gas come first, where they can do most harm.
  const contracts = [spinner, flooder, ...names.map((name) => book.addresses[name].toLowerCase())]
  return ask(contracts)
}

function shown(outcome: MetadataOutcome | undefined): unknown {
  if (outcome?.status !== "answered") return outcome?.status
  const { name, symbol, decimals } = outcome.answers
  return [name && textOf(name), symbol && textOf(symbol), decimals && decimalsOf(decimals)]
}

function expectAllRight(found: ReadonlyMap<string, MetadataOutcome>): void {
  const of = (name: keyof typeof book.addresses) => found.get(book.addresses[name].toLowerCase())
  expect(shown(of("dollar"))).toEqual(["Harbour Dollar", "HUSD", 18])
  expect(shown(of("coin"))).toEqual(["Coin of the Quay", "QUAY", 6])
  expect(shown(of("points"))).toEqual(["Ferry Points", "FERRY", 0])
  // Its text is a bytes32, as MKR's.
  expect(shown(of("harbourMaster"))).toEqual([expect.stringMatching(/^\w.*\w$/), expect.stringMatching(/^\w+$/), 18])
  expect(shown(of("reverter"))).toBe("silent")
  expect(shown(found.get(spinner))).toBe("silent")
  expect(shown(found.get(flooder))).toBe("silent")
  const [name, symbol, decimals] = shown(of("hostile")) as [string, string, number]
  expect(name).toMatch(/^Free Money <script>alert\('name'\)<\/script>/)
  expect([...name]).toHaveLength(256)
  expect(name).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  expect(symbol).toBe("<b>USD C\ufffd</b>")
  expect(decimals).toBe(255)
  // The bytes are all there, whatever the text shows.
  const hostile = of("hostile")
  if (hostile?.status !== "answered") throw new Error("not answered")
  const bytes = Buffer.from(hostile.answers.name!)
  expect(bytes.includes(Buffer.from("Free\u0000Money"))).toBe(true)
  expect(bytes.includes(Buffer.from("fffec0af", "hex"))).toBe(true)
}

describe("the demo's contracts on a real node", () => {
  test("each has its own outcome without Multicall3", async () => {
    expectAllRight(await askAll())
  })

  test("and the same with it", async () => {
    const constants = join(
      dirname(createRequire(import.meta.url).resolve("viem/package.json")),
      "_esm/constants/contracts.js",
    )
    const { multicall3Bytecode } = (await import(constants)) as { multicall3Bytecode: Hex }
    const deployed = await deploy(multicall3Bytecode)
    await anvil.rpc("anvil_setCode", multicallAddress, await anvil.rpc("eth_getCode", deployed, "latest"))
    await anvil.rpc("evm_mine")
    expectAllRight(await askAll())
    source.takeCounters()
    const honest = (["dollar", "coin", "harbourMaster", "hostile"] as const).map((name) =>
      book.addresses[name].toLowerCase(),
    )
    const found = await ask(honest)
    expect(honest.map((contract) => found.get(contract)?.status)).toEqual(Array(4).fill("answered"))
    const calls = source.takeCounters().filter(({ method }) => method === "eth_call")
    // Two controls, one multicall.
    expect(calls.reduce((sum, { calls }) => sum + calls, 0)).toBe(3)
  })
})
