import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { address, blockView, word } from "../../../../../test/support/block-view.js"
import { type PlainRow, runExtract } from "../../../../../test/support/run-extract.js"
import { evmWorker } from "./evm-worker.js"

const inlineMax = 8192
const sha256 = (hex: string): Buffer =>
  createHash("sha256")
    .update(Buffer.from(hex.slice(2), "hex"))
    .digest()

const onlyRow = (table: string, block = blockView()): PlainRow => {
  const rows = runExtract(evmWorker, block)[table]!
  expect(rows).toHaveLength(1)
  return rows[0]!
}

test("a transaction's columns come through unchanged", () => {
  const transaction = {
    index: 3,
    id: word(0xabc),
    type: 2,
    status: 0,
    from: address(1),
    to: address(2),
    nonce: 4n,
    value: 2n ** 255n,
    gasLimit: 5n,
    gasUsed: 6n,
    gasPrice: 7n,
    maxFeePerGas: 8n,
    maxPriorityFeePerGas: 9n,
    effectiveGasPrice: 10n,
    contractAddress: address(11),
    input: "0x0102030405",
    events: [{}, {}],
  }
  const block = blockView({ height: 77, timestampUs: 123n, transactions: [transaction] })
  expect(onlyRow("evm_transactions", block)).toEqual({
    block_height: 77,
    transaction_index: 3,
    event_index: 0,
    transaction_id: word(0xabc),
    timestamp: 123n,
    type: 2,
    status: 0,
    from_address: address(1),
    to_address: address(2),
    nonce: 4n,
    value: 2n ** 255n,
    gas_limit: 5n,
    gas_used: 6n,
    gas_price: 7n,
    max_fee_per_gas: 8n,
    max_priority_fee_per_gas: 9n,
    effective_gas_price: 10n,
    contract_address: address(11),
    method_id: Buffer.from("01020304", "hex"),
    input: "0x0102030405",
    payload_hash: null,
    payload_ref: null,
    event_count: 2,
  })
})

test("what the chain does not say stays null", () => {
  const unknown = {
    type: null,
    status: null,
    from: null,
    to: null,
    nonce: null,
    value: null,
    gasLimit: null,
    gasUsed: null,
    gasPrice: null,
    effectiveGasPrice: null,
    input: null,
  }
  const row = onlyRow("evm_transactions", blockView({ transactions: [unknown] }))
  const known = Object.keys(row).filter((column) => row[column] !== null)
  expect(known).toEqual([
    "block_height",
    "transaction_index",
    "event_index",
    "transaction_id",
    "timestamp",
    "event_count",
  ])
})

describe("the method id", () => {
  test.each([
    ["is the whole input when that has four bytes", { to: address(1), input: "0xa9059cbb" }, "a9059cbb"],
    ["is what a longer input begins with", { to: address(1), input: "0xa9059cbb00" }, "a9059cbb"],
    ["is missing when the input has three bytes", { to: address(1), input: "0xa9059c" }, null],
    ["is missing when there is no input", { to: address(1), input: null }, null],
    ["is missing for a creation, whose input is code", { to: null, input: "0x6080604052" }, null],
    [
      "is there when the input is too large for the row",
      { to: address(1), input: `0xa9059cbb${"00".repeat(inlineMax)}` },
      "a9059cbb",
    ],
  ])("%s", (_, transaction, expected) => {
    const { method_id } = onlyRow("evm_transactions", blockView({ transactions: [transaction] }))
    expect(method_id && Buffer.from(method_id as Uint8Array).toString("hex")).toBe(expected)
  })
})

describe("a body", () => {
  const largest = `0x${"ab".repeat(inlineMax)}`
  const tooLarge = `${largest}cd`
  const block = (body: string) =>
    blockView({ height: 9, transactions: [{ index: 4, input: body, events: [{ index: 6, data: body }] }] })

  test("of 8192 bytes stands in the row", () => {
    const inline = { payload_hash: null, payload_ref: null }
    expect(onlyRow("evm_transactions", block(largest))).toMatchObject({ input: largest, ...inline })
    expect(onlyRow("evm_logs", block(largest))).toMatchObject({ data: largest, ...inline })
  })

  test("of one byte more is its hash and its place in the raw store", () => {
    expect(onlyRow("evm_transactions", block(tooLarge))).toMatchObject({
      input: null,
      payload_hash: sha256(tooLarge),
      payload_ref: "raw.transactions/9/4",
    })
    expect(onlyRow("evm_logs", block(tooLarge))).toMatchObject({
      data: null,
      payload_hash: sha256(tooLarge),
      payload_ref: "raw.events/9/4/6",
    })
  })
})

describe("a log", () => {
  test.each([0, 1, 2, 3, 4])("of %i topics has as many columns filled", (count) => {
    const topics = Array.from({ length: count }, (_, at) => word(at + 1))
    const event = { index: 5, address: address(7), topics, data: "0x0102" }
    const block = blockView({
      height: 8,
      timestampUs: 1n,
      transactions: [{ index: 2, id: word(3), events: [event] }],
    })
    expect(onlyRow("evm_logs", block)).toEqual({
      block_height: 8,
      transaction_index: 2,
      event_index: 5,
      transaction_id: word(3),
      timestamp: 1n,
      address: address(7),
      topic0: topics[0] ?? null,
      topic1: topics[1] ?? null,
      topic2: topics[2] ?? null,
      topic3: topics[3] ?? null,
      data: "0x0102",
      payload_hash: null,
      payload_ref: null,
    })
  })
})
