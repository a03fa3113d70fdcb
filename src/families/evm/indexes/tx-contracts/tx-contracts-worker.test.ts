import { describe, expect, test } from "vitest"
import { address, blockView, data, type TransactionParts, word } from "../../../../../test/support/block-view.js"
import { runExtract } from "../../../../../test/support/run-extract.js"
import type { UpstreamRow } from "../../../../workers/worker-definition.js"
import { eventTopics } from "../evm-events/event-topics.js"
import { txContractsWorker } from "./tx-contracts-worker.js"

const [router, pool, coin, made] = [address(0xc0), address(0xc1), address(0xc2), address(0xc3)]
const { tables } = txContractsWorker

const contractsOf = (transaction: TransactionParts) =>
  runExtract(txContractsWorker, blockView({ transactions: [transaction] }))["tx_contracts"]!.map((row) => [
    row["contract_address"],
    row["called"],
    row["event_count"],
  ])
const tagsOf = (transaction: TransactionParts, rows: Readonly<Record<string, readonly UpstreamRow[]>> = {}) =>
  runExtract(txContractsWorker, blockView({ transactions: [transaction] }), rows)["tx_tags"]!.map((row) => row["tag"])

describe("contracts of a transaction", () => {
  test("the one called and those that emitted logs are a row each, with the logs they emitted", () => {
    const events = [{ address: coin }, { address: router }, { address: pool }, { address: coin }]
    expect(contractsOf({ to: router, input: "0x12345678", events })).toEqual([
      [router, true, 1],
      [coin, false, 2],
      [pool, false, 1],
    ])
  })

  test.each<[string, TransactionParts, unknown[]]>([
    ["called without a log", { to: router, input: "0x01" }, [[router, true, 0]]],
    ["sent value only", { to: router, input: "0x", value: 1n }, []],
    ["sent value only, and it logs", { to: router, input: "0x", events: [{ address: router }] }, [[router, false, 1]]],
    ["without an input column", { to: router, input: null }, []],
    ["created", { to: null, input: "0x6001", contractAddress: made }, [[made, true, 0]]],
    [
      "created, before receipts had a status",
      { to: null, input: "0x6001", contractAddress: made, status: null },
      [[made, true, 0]],
    ],
    ["not created, since it failed", { to: null, input: "0x6001", contractAddress: made, status: 0 }, []],
    ["called in vain", { to: router, input: "0x01", status: 0 }, [[router, true, 0]]],
    ["of a log without an address", { to: router, input: "0x", events: [{ address: null }] }, []],
  ])("%s", (_, transaction, expected) => {
    expect(contractsOf(transaction)).toEqual(expected)
  })
})

describe("tags of a transaction", () => {
  const log = (signature: keyof typeof eventTopics, ...rest: readonly string[]) => ({
    topics: [eventTopics[signature], ...rest.map(word)],
  })
  const pair = { ...log("PairCreated(address,address,address,uint256)", coin, coin), data: data(pool, 1) }

  test.each<[string, TransactionParts, string[]]>([
    ["an empty one", {}, []],
    ["a failed call with value", { status: 0, input: "0x01", value: 5n }, ["FAILED", "CONTRACT_CALL"]],
    ["a call", { input: "0x01" }, ["CONTRACT_CALL"]],
    ["a transfer of ether", { value: 1n }, ["NATIVE_TRANSFER"]],
    ["a transfer of unknown outcome", { value: 1n, status: null }, ["NATIVE_TRANSFER"]],
    ["a value the chain does not tell", { value: null }, []],
    ["a creation", { to: null, contractAddress: made, input: "0x60" }, ["CONTRACT_DEPLOY"]],
    ["a failed creation", { to: null, contractAddress: made, input: "0x60", status: 0 }, ["FAILED"]],
    ["a factory's", { events: [pair] }, ["CONTRACT_DEPLOY"]],
    ["a malformed factory's", { events: [{ ...pair, data: "0x" }] }, []],
    ["a failed factory's", { events: [pair], status: 0 }, ["FAILED"]],
    ["a V2 swap", { events: [log("Swap(address,uint256,uint256,uint256,uint256,address)")] }, ["SWAP"]],
    ["a V3 swap", { events: [log("Swap(address,address,int256,int256,uint160,uint128,int24)")] }, ["SWAP"]],
    ["an approval", { events: [log("Approval(address,address,uint256)")] }, ["APPROVAL"]],
    ["an approval for all", { events: [log("ApprovalForAll(address,address,bool)")] }, ["APPROVAL"]],
    ["a log without topics", { events: [{ topics: [] }] }, []],
    [
      "a transfer that token_worker has no row of",
      { events: [{ ...log("Transfer(address,address,uint256)", coin, coin), data: data(1) }] },
      [],
    ],
  ])("%s", (_, transaction, expected) => {
    expect(tagsOf(transaction)).toEqual(expected)
  })

  test.each([
    ["ft_transfers", "transfer", "FT_TRANSFER"],
    ["ft_transfers", "mint", "FT_MINT"],
    ["ft_transfers", "burn", "FT_BURN"],
    ["ft_transfers", "deposit", "WRAP"],
    ["ft_transfers", "withdrawal", "UNWRAP"],
    ["nft_transfers", "transfer", "NFT_TRANSFER"],
    ["nft_transfers", "mint", "NFT_MINT"],
    ["nft_transfers", "burn", "NFT_BURN"],
  ])("a row of %s with kind %s is %s", (table, kind, tag) => {
    expect(tagsOf({}, { [table]: [{ transaction_index: 0, kind }] })).toEqual([tag])
  })

  test("token rows tag their own transaction, each tag once", () => {
    const block = blockView({ height: 4, transactions: [{}, { value: 2n }, {}] })
    const { tx_tags } = runExtract(txContractsWorker, block, {
      ft_transfers: [
        { transaction_index: 1, kind: "transfer" },
        { transaction_index: 1, kind: "transfer" },
        { transaction_index: 2, kind: "mint" },
      ],
      nft_transfers: [{ transaction_index: 1, kind: "burn" }],
    })
    expect(tx_tags!.map((row) => [row["transaction_index"], row["tag"]])).toEqual([
      [1, "NATIVE_TRANSFER"],
      [1, "FT_TRANSFER"],
      [1, "NFT_BURN"],
      [2, "FT_MINT"],
    ])
    expect(tx_tags![0]).toEqual({
      block_height: 4,
      transaction_index: 1,
      transaction_id: block.transactions[1]!.id,
      timestamp: block.timestampUs,
      tag: "NATIVE_TRANSFER",
    })
  })
})

test("rows have exactly the columns of their tables", () => {
  const rows = runExtract(txContractsWorker, blockView({ transactions: [{ input: "0x01" }] }))
  for (const name of ["tx_contracts", "tx_tags"] as const) {
    expect(Object.keys(rows[name]![0]!).sort()).toEqual(Object.keys(tables[name].columns).sort())
  }
})
