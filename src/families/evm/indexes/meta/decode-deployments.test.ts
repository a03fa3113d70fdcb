import { keccak256 } from "viem"
import { describe, expect, test } from "vitest"
import {
  address,
  data,
  type EventParts,
  PlainField,
  transactionView,
  word,
} from "../../../../../test/support/block-view.js"
import { eventTopics } from "../evm-events/event-topics.js"
import { decodeDeployments } from "./decode-deployments.js"

const factory = address(0xfac)
const made = address(0xbeef)
const other = word(0x123)
/** An address word with something above the address. */
const soiled = word(`1${made.slice(2)}`)

type Signature = keyof typeof eventTopics
const log = (signature: Signature, topics: readonly string[], words: readonly string[]): EventParts => ({
  index: 8,
  address: factory,
  topics: [eventTopics[signature], ...topics],
  data: data(...words),
})

const plain = (value: unknown): unknown => (value instanceof PlainField ? value.plain : value)

describe("a creation by the transaction itself", () => {
  const creation = { from: address(1), to: null, contractAddress: made, input: "0x60806040" }
  const hash = Buffer.from(keccak256("0x60806040").slice(2), "hex")

  test.each([
    ["that succeeded", 1],
    ["of a chain that does not tell", null],
  ])("%s stands before its logs", (_, status) => {
    const [deployment, ...rest] = decodeDeployments(transactionView({ ...creation, status }))
    expect(rest).toEqual([])
    expect(deployment).toMatchObject({ eventIndex: -1, method: "transaction" })
    expect(plain(deployment!.address)).toBe(made)
    expect(plain(deployment!.deployer)).toBe(address(1))
    expect(Buffer.from(deployment!.initCodeHash!)).toEqual(hash)
  })

  test("that failed left no contract", () => {
    expect(decodeDeployments(transactionView({ ...creation, status: 0 }))).toEqual([])
  })

  test("of no known code has no hash of it", () => {
    expect(decodeDeployments(transactionView({ ...creation, input: null }))[0]!.initCodeHash).toBeNull()
  })

  test("comes before what its constructor's logs say", () => {
    const events = [log("ContractCreation(address)", [word(made)], [])]
    const deployments = decodeDeployments(transactionView({ ...creation, events }))
    expect(deployments.map(({ eventIndex }) => eventIndex)).toEqual([-1, 8])
  })
})

describe("a factory's event", () => {
  const pair = "PairCreated(address,address,address,uint256)"
  const pool = "PoolCreated(address,address,uint24,int24,address)"
  const proxy = "ProxyCreation(address,address)"
  const deployed = "Deployed(address,uint256)"
  const salted = "ContractCreation(address,bytes32)"
  const plainCreation = "ContractCreation(address)"
  const account = "AccountDeployed(bytes32,address,address,address)"
  const here = word(made)

  test.each([
    ["Uniswap V2", log(pair, [other, other], [here, other])],
    ["Uniswap V3", log(pool, [other, other, other], [other, here])],
    ["Safe before 1.4", log(proxy, [], [here, other])],
    ["Safe since 1.4", log(proxy, [here], [other])],
    ["a create2 deployer", log(deployed, [], [here, other])],
    ["CreateX with a salt", log(salted, [here, other], [])],
    ["CreateX without a salt", log(plainCreation, [here], [])],
  ])("of %s names the contract, and its emitter is the deployer", (_, event) => {
    expect(decodeDeployments(transactionView({ events: [event] }))).toEqual([
      { eventIndex: 8, address: made, deployer: factory, method: "factory", initCodeHash: null },
    ])
  })

  test("of an entry point names the factory as well", () => {
    const event = log(account, [other, here], [word(0x77), other])
    expect(decodeDeployments(transactionView({ events: [event] }))).toMatchObject([
      { address: made, deployer: address(0x77) },
    ])
  })

  test("without an address has an unknown deployer", () => {
    const event = { ...log(plainCreation, [here], [other]), address: null }
    expect(decodeDeployments(transactionView({ events: [event] }))).toMatchObject([{ address: made, deployer: null }])
  })

  test.each([
    ["no data", { ...log(pair, [other, other], []), data: null }],
    ["data that ends within the word", { ...log(pair, [other, other], []), data: here.slice(0, -2) }],
    ["one data word where the second counts", log(pool, [other, other, other], [here])],
    ["more than an address in the data word", log(deployed, [], [soiled, other])],
    ["more than an address in the topic", log(plainCreation, [soiled], [other])],
    ["a topic that is no word", log(plainCreation, [made], [other])],
    ["no topic where it should be", log(plainCreation, [], [here])],
    ["indexed words in an event that has none", log(deployed, [here], [here])],
    ["an account whose factory is no address", log(account, [other, here], [soiled, other])],
    ["an unknown name", { ...log(plainCreation, [here], [other]), topics: [word(1), here] }],
    ["no topics at all", { topics: [], data: data(here) }],
  ])("with %s deploys nothing", (_, event) => {
    expect(decodeDeployments(transactionView({ events: [event] }))).toEqual([])
  })

  test("in a failed transaction deploys nothing", () => {
    const events = [log(plainCreation, [here], [other])]
    expect(decodeDeployments(transactionView({ status: 0, events }))).toEqual([])
  })
})
