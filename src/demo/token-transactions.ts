// Fungible tokens and wrapped ether: mint, move, approve, spend an allowance, burn, wrap and unwrap.

import type { Address } from "viem"
import { maxUint256 } from "viem"
import { MintableToken, WrappedEther } from "./contracts.generated.js"
import { call, type DemoContext, kind, pickAmount, pickRecipient, type TransactionKind } from "./transaction-kind.js"

const { abi } = MintableToken

/** Only a few fixed pairs of accounts have allowances, so that many are spent. */
function pickPartners({ senders, random }: DemoContext): { owner: Address; spender: Address } {
  const at = random.integer(0, 8)
  return { owner: senders[at]!, spender: senders[at + 8]! }
}

export const tokenTransactions: readonly TransactionKind[] = [
  kind("token transfer", 22, (context) => {
    const { random, book, senders } = context
    const token = random.pick(book.mintable)
    const args = [pickRecipient(context), pickAmount(random, token.unit, 50)] as const
    const from = random.pick(senders)
    return call({ from, to: token.address, gas: 90_000 }, { abi, functionName: "transfer", args })
  }),
  kind("token mint", 4, (context) => {
    const { random, book, senders } = context
    const token = random.pick(book.mintable)
    const args = [pickRecipient(context), pickAmount(random, token.unit, 1000)] as const
    const from = random.pick(senders)
    return call({ from, to: token.address, gas: 110_000 }, { abi, functionName: "mint", args })
  }),
  kind("token mint to many", 0.5, ({ random, book, senders, recipients }) => {
    const token = random.pick(book.mintable)
    const many = random.sample(recipients, random.integer(3, 15))
    const args = [many, pickAmount(random, token.unit, 10)] as const
    const from = random.pick(senders)
    return call({ from, to: token.address, gas: 900_000 }, { abi, functionName: "mintToMany", args })
  }),
  kind("token burn", 2, ({ random, book, senders }) => {
    const token = random.pick(book.mintable)
    const from = random.pick(senders)
    const args = [pickAmount(random, token.unit, 20)] as const
    return call({ from, to: token.address, gas: 80_000 }, { abi, functionName: "burn", args })
  }),
  kind("token approve", 3, (context) => {
    const { random, book } = context
    const token = random.pick(book.mintable)
    const { owner, spender } = pickPartners(context)
    const args = [spender, random.chance(0.5) ? maxUint256 : pickAmount(random, token.unit, 100)] as const
    return call({ from: owner, to: token.address, gas: 80_000 }, { abi, functionName: "approve", args })
  }),
  // Some of these have no allowance yet and fail with a custom error, as on real chains.
  kind("token transfer by allowance", 1.5, (context) => {
    const { random, book } = context
    const token = random.pick(book.mintable)
    const { owner, spender } = pickPartners(context)
    const args = [owner, pickRecipient(context), pickAmount(random, token.unit, 5)] as const
    return call({ from: spender, to: token.address, gas: 110_000 }, { abi, functionName: "transferFrom", args })
  }),
  // Half of them call deposit, the others only send ether.
  kind("wrap ether", 4, ({ random, book: { weth }, senders }) => {
    const from = random.pick(senders)
    const calls = random.chance(0.5)
    const wrap = { from, to: weth.address, gas: 90_000, value: pickAmount(random, weth.unit, 5) }
    return calls ? call(wrap, { abi: WrappedEther.abi, functionName: "deposit" }) : wrap
  }),
  kind("unwrap ether", 2.5, ({ random, book: { weth }, traders }) => {
    const from = random.pick(traders)
    const args = [pickAmount(random, weth.unit, 2)] as const
    return call({ from, to: weth.address, gas: 90_000 }, { abi: WrappedEther.abi, functionName: "withdraw", args })
  }),
]
