import { describe, expect, test } from "vitest"
import { address, blockView, data, word } from "../../../../../test/support/block-view.js"
import { sumsByKey } from "../../../../../test/support/memory-fold.js"
import { runExtract } from "../../../../../test/support/run-extract.js"
import { eventTopics } from "../evm-events/event-topics.js"
import { metaWorker } from "./meta-worker.js"

const alice = address(0xa)
const bob = address(0xb)
const token = address(0x70)
const transfer = (from: string, to: string) => ({
  address: token,
  topics: [eventTopics["Transfer(address,address,uint256)"], word(from), word(to)],
  data: data(5),
})

test("an address in a role is a row", () => {
  const block = blockView({
    height: 5,
    timestampUs: 9n,
    transactions: [{ index: 1, id: word(1), from: alice, to: alice }],
  })
  const row = {
    block_height: 5,
    transaction_index: 1,
    transaction_id: word(1),
    address: alice,
    timestamp: 9n,
  }
  expect(runExtract(metaWorker, block)).toEqual({
    address_transactions: [
      { ...row, role: "from", first_of_transaction: true },
      { ...row, role: "to", first_of_transaction: false },
    ],
    contract_deployments: [],
  })
})

test("a deployment is a row", () => {
  const events = [
    {
      index: 3,
      address: token,
      topics: [eventTopics["ContractCreation(address)"], word(bob)],
      data: data(0),
    },
  ]
  const block = blockView({
    height: 5,
    timestampUs: 9n,
    transactions: [{ index: 1, id: word(1), from: alice, to: null, contractAddress: token, events }],
  })
  const row = { block_height: 5, transaction_index: 1, transaction_id: word(1), timestamp: 9n }
  expect(runExtract(metaWorker, block)["contract_deployments"]).toEqual([
    {
      ...row,
      event_index: -1,
      address: token,
      deployer: alice,
      method: "transaction",
      init_code_hash: expect.any(Uint8Array),
    },
    { ...row, event_index: 3, address: bob, deployer: token, method: "factory", init_code_hash: null },
  ])
})

describe("state", () => {
  const block = blockView({
    transactions: [
      { from: alice, to: token, events: [transfer(alice, bob), transfer(bob, alice)] },
      { from: alice, to: alice },
      { from: bob, to: null, contractAddress: token },
    ],
  })
  const rows = runExtract(metaWorker, block)
  const zero = {
    transaction_count: 0,
    sent_count: 0,
    received_count: 0,
    token_sent_count: 0,
    token_received_count: 0,
    emitted_count: 0,
    created_count: 0,
  }

  test("address_stats counts a transaction once, and each role in it", () => {
    expect(sumsByKey(metaWorker.tables.address_stats, rows)).toEqual({
      [alice]: {
        ...zero,
        transaction_count: 2,
        sent_count: 2,
        received_count: 1,
        token_sent_count: 1,
        token_received_count: 1,
      },
      [bob]: {
        ...zero,
        transaction_count: 2,
        sent_count: 1,
        token_sent_count: 1,
        token_received_count: 1,
      },
      [token]: { ...zero, transaction_count: 2, received_count: 1, emitted_count: 1, created_count: 1 },
    })
  })

  test("smart_contracts has what was deployed, by its last deployment", () => {
    const { smart_contracts } = metaWorker.tables
    expect(sumsByKey(smart_contracts, rows)).toMatchObject({ [token]: { deployment_count: 1 } })
    expect(smart_contracts.sources).toEqual([
      {
        table: "contract_deployments",
        key: { address: "address" },
        set: {
          deployment_count: { literal: 1 },
          deployer: "deployer",
          transaction_id: "transaction_id",
          method: "method",
          init_code_hash: "init_code_hash",
        },
      },
    ])
  })
})
