import { expect, test } from "vitest"
import { address } from "../../../../../test/support/block-view.js"
import { foldRows } from "../../../../../test/support/memory-fold.js"
import { zeroAddress } from "../evm-events/abi-words.js"
import { ftHoldingsWorker } from "./ft-holdings-worker.js"

const [coin, other, alice, bob] = [address(0xc0), address(0xc1), address(0xa), address(0xb)]
const { ft_holdings } = ftHoldingsWorker.tables
const fold = (...transfers: readonly [string, string, string, bigint][]) =>
  foldRows(ft_holdings, {
    ft_transfers: transfers.map(([contract_address, from_address, to_address, amount], i) => ({
      block_height: 1,
      transaction_index: 0,
      event_index: i,
      contract_address,
      from_address,
      to_address,
      amount,
    })),
  })

test("a transfer takes from one holding and adds to the other, by token", () => {
  expect(fold([coin, zeroAddress, alice, 100n], [coin, alice, bob, 30n], [other, bob, zeroAddress, 4n])).toEqual([
    {
      address: alice,
      contract_address: coin,
      balance: 70n,
      transfers_in: 1,
      transfers_out: 1,
      event_rows: 2,
    },
    {
      address: bob,
      contract_address: coin,
      balance: 30n,
      transfers_in: 1,
      transfers_out: 0,
      event_rows: 1,
    },
    {
      address: bob,
      contract_address: other,
      balance: -4n,
      transfers_in: 0,
      transfers_out: 1,
      event_rows: 1,
    },
  ])
})

test("a transfer to oneself leaves the balance", () => {
  expect(fold([coin, alice, alice, 5n])).toMatchObject([{ balance: 0n, transfers_in: 1, transfers_out: 1 }])
})

test("the zero address has no holding", () => {
  expect(fold([coin, zeroAddress, zeroAddress, 5n])).toEqual([])
})
