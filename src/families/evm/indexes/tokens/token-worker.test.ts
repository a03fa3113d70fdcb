import { expect, test } from "vitest"
import { address, blockView, data, word } from "../../../../../test/support/block-view.js"
import { foldRows } from "../../../../../test/support/memory-fold.js"
import { runExtract } from "../../../../../test/support/run-extract.js"
import { zeroAddress } from "../evm-events/abi-words.js"
import { eventTopics } from "../evm-events/event-topics.js"
import { tokenWorker } from "./token-worker.js"

const transfer = eventTopics["Transfer(address,address,uint256)"]
const batch = eventTopics["TransferBatch(address,address,address,uint256[],uint256[])"]
const deposit = eventTopics["Deposit(address,uint256)"]
const withdrawal = eventTopics["Withdrawal(address,uint256)"]
const [coin, mixed, alice, bob] = [address(0xc0), address(0xc1), address(0xa), address(0xb)]
const topics = (first: string, ...rest: readonly (string | number)[]) => [first, ...rest.map(word)]
const { tables } = tokenWorker

const block = blockView({
  height: 7,
  timestampUs: 1_700_000_000_000_001n,
  transactions: [
    { events: [{ topics: [word(1)] }] },
    {
      id: word("1d"),
      events: [
        { address: coin, topics: topics(transfer, zeroAddress, alice), data: data(100) },
        { address: coin, topics: topics(transfer, alice, bob), data: data(30) },
        { address: coin, topics: topics(transfer, bob, zeroAddress), data: data(5) },
        { address: coin, topics: topics(deposit, alice), data: data(7) },
        { address: coin, topics: topics(withdrawal, alice), data: data(2) },
        { address: mixed, topics: topics(transfer, zeroAddress, alice, 9) },
        {
          address: mixed,
          topics: topics(batch, bob, zeroAddress, alice),
          data: data(64, 160, 2, 1, 2, 2, 10, 20),
        },
        { address: mixed, topics: topics(batch, bob, alice, bob), data: data(64, 128, 1, 2, 1, 3) },
        { address: mixed, topics: topics(batch, bob, bob, zeroAddress), data: data(64, 128, 1, 2, 1, 1) },
        { address: mixed, topics: topics(transfer, alice, zeroAddress, 9) },
      ],
    },
    { events: [{ address: mixed, topics: topics(transfer, alice, bob), data: data(1) }] },
  ],
})
const rows = runExtract(tokenWorker, block)

test("a fungible transfer is a row with its place, its parties and its amount", () => {
  expect(rows["ft_transfers"]![1]).toEqual({
    block_height: 7,
    transaction_index: 1,
    event_index: 2,
    transaction_id: word("1d"),
    timestamp: 1_700_000_000_000_001n,
    contract_address: coin,
    from_address: alice,
    to_address: bob,
    amount: word(30),
    kind: "transfer",
  })
  expect(rows["ft_transfers"]!.map((row) => [row["transaction_index"], row["event_index"], row["kind"]])).toEqual([
    [1, 1, "mint"],
    [1, 2, "transfer"],
    [1, 3, "burn"],
    [1, 4, "deposit"],
    [1, 5, "withdrawal"],
    [2, 11, "transfer"],
  ])
})

test("every position of a batch is a row", () => {
  expect(rows["nft_transfers"]![2]).toEqual({
    block_height: 7,
    transaction_index: 1,
    event_index: 7,
    batch_index: 1,
    transaction_id: word("1d"),
    timestamp: 1_700_000_000_000_001n,
    contract_address: mixed,
    standard: "erc1155",
    operator: bob,
    from_address: zeroAddress,
    to_address: alice,
    token_id: word(2),
    amount: word(20),
    kind: "mint",
  })
  expect(rows["nft_transfers"]).toHaveLength(6)
  expect(rows["nft_transfers"]![0]).toMatchObject({ standard: "erc721", operator: null, amount: word(1) })
})

test("rows have exactly the columns of their tables", () => {
  for (const name of ["ft_transfers", "nft_transfers"] as const) {
    for (const row of rows[name]!) {
      expect(Object.keys(row).sort()).toEqual(Object.keys(tables[name].columns).sort())
    }
  }
})

test("a token counts each transfer once and knows what was minted and burned, deposits and withdrawals included", () => {
  expect(foldRows(tables.ft_tokens, rows)).toEqual([
    {
      contract_address: coin,
      event_rows: 5,
      transfer_count: 5,
      minted: 107n,
      burned: 7n,
      first_block_height: 7,
      first_transaction_index: 1,
      first_event_index: 1,
      last_block_height: 7,
      last_transaction_index: 1,
      last_event_index: 5,
    },
    expect.objectContaining({ contract_address: mixed, transfer_count: 1, minted: 0n, burned: 0n }),
  ])
})

test("a collection tells its standards apart and sums amounts, not rows", () => {
  expect(foldRows(tables.nft_collections, rows)).toEqual([
    expect.objectContaining({
      contract_address: mixed,
      event_rows: 6,
      transfer_count: 6,
      minted: 31n,
      burned: 2n,
      erc721_transfers: 2,
      erc1155_transfers: 4,
      first_event_index: 6,
      last_event_index: 10,
    }),
  ])
})

test("a contract counts the rows of both tables, and is seen in either", () => {
  expect(foldRows(tables.contracts, rows)).toEqual([
    expect.objectContaining({ contract_address: coin, ft_transfers: 5, nft_transfers: 0 }),
    expect.objectContaining({
      contract_address: mixed,
      ft_transfers: 1,
      nft_transfers: 6,
      first_event_index: 6,
      last_transaction_index: 2,
      last_event_index: 11,
    }),
  ])
})
