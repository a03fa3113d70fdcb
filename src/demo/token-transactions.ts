// Fungible tokens and wrapped ether: mint, move, approve, spend an allowance, burn, wrap and unwrap.

import type { Address } from "viem"
import { encodeFunctionData, maxUint256 } from "viem"
import { MintableToken, WrappedEther } from "./contracts.generated.js"
import type { SeededRandom } from "./seeded-random.js"
import { pickAmount, pickRecipient, type TransactionKind } from "./transaction-kind.js"

const { abi } = MintableToken

/** Allowances run between a few fixed partners, so that many are spent. */
function pickPartners(
  senders: readonly Address[],
  random: SeededRandom,
): { owner: Address; spender: Address } {
  const at = random.integer(0, 8)
  return { owner: senders[at]!, spender: senders[at + 8]! }
}

export const tokenTransactions: readonly TransactionKind[] = [
  {
    name: "token transfer",
    weight: 22,
    make: (context) => {
      const { random, book, senders } = context
      const token = random.pick(book.mintable)
      const args = [pickRecipient(context), pickAmount(random, token.unit, 50)] as const
      return {
        from: random.pick(senders),
        to: token.address,
        data: encodeFunctionData({ abi, functionName: "transfer", args }),
        gas: 90_000,
      }
    },
  },
  {
    name: "token mint",
    weight: 4,
    make: (context) => {
      const { random, book, senders } = context
      const token = random.pick(book.mintable)
      const args = [pickRecipient(context), pickAmount(random, token.unit, 1000)] as const
      return {
        from: random.pick(senders),
        to: token.address,
        data: encodeFunctionData({ abi, functionName: "mint", args }),
        gas: 110_000,
      }
    },
  },
  {
    name: "token mint to many",
    weight: 0.5,
    make: ({ random, book, senders, recipients }) => {
      const token = random.pick(book.mintable)
      const args = [
        random.sample(recipients, random.integer(3, 15)),
        pickAmount(random, token.unit, 10),
      ] as const
      return {
        from: random.pick(senders),
        to: token.address,
        data: encodeFunctionData({ abi, functionName: "mintToMany", args }),
        gas: 900_000,
      }
    },
  },
  {
    name: "token burn",
    weight: 2,
    make: ({ random, book, senders }) => {
      const token = random.pick(book.mintable)
      return {
        from: random.pick(senders),
        to: token.address,
        data: encodeFunctionData({ abi, functionName: "burn", args: [pickAmount(random, token.unit, 20)] }),
        gas: 80_000,
      }
    },
  },
  {
    name: "token approve",
    weight: 3,
    make: ({ random, book, senders }) => {
      const token = random.pick(book.mintable)
      const { owner, spender } = pickPartners(senders, random)
      const amount = random.chance(0.5) ? maxUint256 : pickAmount(random, token.unit, 100)
      return {
        from: owner,
        to: token.address,
        data: encodeFunctionData({ abi, functionName: "approve", args: [spender, amount] }),
        gas: 80_000,
      }
    },
  },
  {
    // Without an allowance as yet, some of these fail with a custom error, as they do elsewhere.
    name: "token transfer by allowance",
    weight: 1.5,
    make: (context) => {
      const { random, book, senders } = context
      const token = random.pick(book.mintable)
      const { owner, spender } = pickPartners(senders, random)
      const args = [owner, pickRecipient(context), pickAmount(random, token.unit, 5)] as const
      return {
        from: spender,
        to: token.address,
        data: encodeFunctionData({ abi, functionName: "transferFrom", args }),
        gas: 110_000,
      }
    },
  },
  {
    name: "wrap ether",
    weight: 4,
    make: ({ random, book, senders }) => ({
      from: random.pick(senders),
      to: book.weth.address,
      // Half call deposit, half just send ether.
      data: random.chance(0.5)
        ? encodeFunctionData({ abi: WrappedEther.abi, functionName: "deposit" })
        : "0x",
      value: pickAmount(random, book.weth.unit, 5),
      gas: 90_000,
    }),
  },
  {
    name: "unwrap ether",
    weight: 2.5,
    make: ({ random, book, traders }) => ({
      from: random.pick(traders),
      to: book.weth.address,
      data: encodeFunctionData({
        abi: WrappedEther.abi,
        functionName: "withdraw",
        args: [pickAmount(random, book.weth.unit, 2)],
      }),
      gas: 90_000,
    }),
  },
]
