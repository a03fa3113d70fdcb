import { expect, test } from "vitest"
import { address, data, type EventParts, transactionView, word } from "../../../../../test/support/block-view.js"
import { decodeFactoryDeployment } from "./decode-factory-deployment.js"
import { eventTopics } from "./event-topics.js"

const factory = address("5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f")
const created = address("b4e16d0168e52d35cacd2c6185b44281ec28c9dc")
const other = address(0xb0b)
const dirty = `0x${"0".repeat(23)}1${created.slice(2)}`

const decode = (event: EventParts) =>
  decodeFactoryDeployment(transactionView({ events: [{ address: factory, ...event }] }).events[0]!)

type Case = [string, keyof typeof eventTopics, readonly string[], string]

test.each<Case>([
  ["a Uniswap V2 pair", "PairCreated(address,address,address,uint256)", [other, other], data(created, 1)],
  [
    "a Uniswap V3 pool",
    "PoolCreated(address,address,uint24,int24,address)",
    [other, other, word(500)],
    data(10, created),
  ],
  ["a Safe before 1.4", "ProxyCreation(address,address)", [], data(created, other)],
  ["a Safe since 1.4", "ProxyCreation(address,address)", [created], data(other)],
  ["a CREATE2 deployer", "Deployed(address,uint256)", [], data(created, 7)],
  ["CreateX with a salt", "ContractCreation(address,bytes32)", [created, word(1)], "0x"],
  ["CreateX without one", "ContractCreation(address)", [created], "0x"],
])("%s is deployed by the emitter", (_, signature, topics, body) => {
  expect(decode({ topics: [eventTopics[signature], ...topics.map(word)], data: body })).toEqual({
    address: created,
    deployer: factory,
  })
})

const accountDeployed = eventTopics["AccountDeployed(bytes32,address,address,address)"]

test("a smart account is deployed by the factory its entry point names", () => {
  const event = { topics: [accountDeployed, word(9), word(created)], data: data(other, 0) }
  expect(decode(event)).toEqual({ address: created, deployer: other })
})

test.each<Case>([
  ["no data", "PairCreated(address,address,address,uint256)", [other, other], "0x"],
  ["one word too few", "PoolCreated(address,address,uint24,int24,address)", [other], data(10)],
  ["a dirty word", "PairCreated(address,address,address,uint256)", [other, other], data(dirty, 1)],
  ["a dirty topic", "ContractCreation(address)", [dirty], "0x"],
  ["an indexed Deployed of another kind", "Deployed(address,uint256)", [created], data(created, 7)],
  ["no second topic", "ContractCreation(address)", [], data(created)],
  ["no factory", "AccountDeployed(bytes32,address,address,address)", [word(9), created], "0x"],
  ["no account", "AccountDeployed(bytes32,address,address,address)", [word(9)], data(other, 0)],
  ["another event", "Transfer(address,address,uint256)", [created, created], data(created, created)],
])("a log with %s says nothing", (_, signature, topics, body) => {
  expect(decode({ topics: [eventTopics[signature], ...topics.map(word)], data: body })).toBeNull()
})

test("a log without topics says nothing", () => {
  expect(decode({ topics: [], data: data(created) })).toBeNull()
})
