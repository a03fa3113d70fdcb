import { expect, test } from "vitest"
import { address, word } from "../../../../../test/support/block-view.js"
import { foldRows } from "../../../../../test/support/memory-fold.js"
import { zeroAddress } from "../evm-events/abi-words.js"
import { nftOwnershipWorker } from "./nft-ownership-worker.js"

const [art, alice, bob] = [address(0xc0), address(0xa), address(0xb)]
const { nft_ownership, nft_balances } = nftOwnershipWorker.tables
const row = (standard: string, place: readonly number[], from: string, to: string, amount = 1n) => ({
  block_height: place[0],
  transaction_index: place[1],
  event_index: place[2],
  batch_index: place[3],
  contract_address: art,
  token_id: word(9),
  standard,
  from_address: from,
  to_address: to,
  amount,
})

test("the owner is whoever the last transfer in the chain went to", () => {
  const rows = [
    row("erc721", [5, 2, 8, 0], bob, alice),
    row("erc721", [5, 2, 7, 0], alice, bob),
    row("erc721", [5, 1, 9, 0], zeroAddress, alice),
    row("erc1155", [6, 0, 0, 0], alice, bob),
  ]
  expect(foldRows(nft_ownership, { nft_transfers: rows })).toEqual([
    {
      contract_address: art,
      token_id: word(9),
      owner: alice,
      transfer_count: 3,
      event_rows: 3,
      first_block_height: 5,
      first_transaction_index: 1,
      first_event_index: 9,
      first_batch_index: 0,
      last_block_height: 5,
      last_transaction_index: 2,
      last_event_index: 8,
      last_batch_index: 0,
    },
  ])
})

test("the zero address owns what was burned", () => {
  const rows = [row("erc721", [5, 0, 0, 0], zeroAddress, alice), row("erc721", [5, 0, 1, 0], alice, zeroAddress)]
  expect(foldRows(nft_ownership, { nft_transfers: rows })).toMatchObject([{ owner: zeroAddress, transfer_count: 2 }])
})

test("balances are kept for ERC-1155 only, and not for the zero address", () => {
  const rows = [
    row("erc1155", [5, 0, 0, 0], zeroAddress, alice, 10n),
    row("erc1155", [5, 0, 0, 1], alice, bob, 4n),
    row("erc1155", [5, 0, 1, 0], bob, zeroAddress, 1n),
    row("erc1155", [5, 0, 2, 0], zeroAddress, zeroAddress, 1n),
    row("erc721", [5, 0, 3, 0], alice, bob),
  ]
  const token = { contract_address: art, token_id: word(9) }
  expect(foldRows(nft_balances, { nft_transfers: rows })).toEqual([
    { ...token, address: alice, balance: 6n, transfers_in: 1, transfers_out: 1, event_rows: 2 },
    { ...token, address: bob, balance: 3n, transfers_in: 1, transfers_out: 1, event_rows: 2 },
  ])
})
