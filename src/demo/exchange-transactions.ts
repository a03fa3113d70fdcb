// Trades on the exchange: swaps over one or two pairs, liquidity in and out, and a pair that exists already.

import type { Address } from "viem"
import { encodeFunctionData } from "viem"
import { Pair, PairFactory, Router } from "./contracts.generated.js"
import { type DemoContext, pickAmount, type TransactionKind } from "./transaction-kind.js"

const { abi } = Router

/** Small beside the pair's reserves, so that prices wander and never run away. */
function pickTrade({ random, book }: DemoContext) {
  const pair = random.pick(book.pairs)
  const [index, other] = random.chance(0.5) ? ([0, 1] as const) : ([1, 0] as const)
  const reserve = pair.opening[index] * pair.tokens[index].unit
  const amount = (reserve * BigInt(random.integer(1, 200))) / 100_000n
  return { tokenIn: pair.tokens[index], tokenOut: pair.tokens[other], amount: amount > 0n ? amount : 1n }
}

function swap(context: DemoContext, options: { path: Address[]; amount: bigint; minimumOut: bigint }) {
  const from = context.random.pick(context.traders)
  const args = [options.amount, options.minimumOut, options.path, from] as const
  return {
    from,
    to: context.book.addresses.router,
    data: encodeFunctionData({ abi, functionName: "swapExactTokensForTokens", args }),
    gas: 400_000,
  }
}

export const exchangeTransactions: readonly TransactionKind[] = [
  {
    name: "swap",
    weight: 14,
    make: (context) => {
      const { tokenIn, tokenOut, amount } = pickTrade(context)
      return swap(context, { path: [tokenIn.address, tokenOut.address], amount, minimumOut: 1n })
    },
  },
  {
    name: "swap over two pairs",
    weight: 3,
    make: (context) => {
      const { weth, pairs } = context.book
      const [coin, dollar] = context.random.sample([pairs[0]!.tokens[1], pairs[1]!.tokens[1]], 2)
      const path = [coin!.address, weth.address, dollar!.address]
      return swap(context, { path, amount: pickAmount(context.random, coin!.unit, 300), minimumOut: 1n })
    },
  },
  {
    name: "swap that asks too much",
    weight: 0.6,
    make: (context) => {
      const { tokenIn, tokenOut, amount } = pickTrade(context)
      return swap(context, { path: [tokenIn.address, tokenOut.address], amount, minimumOut: 2n ** 200n })
    },
  },
  {
    name: "add liquidity",
    weight: 2,
    make: ({ random, book, traders }) => {
      const { tokens, opening } = random.pick(book.pairs)
      const part = BigInt(random.integer(1, 20))
      const wanted = tokens.map((token, i) => (opening[i]! * token.unit * part) / 10_000n) as [bigint, bigint]
      return {
        from: random.pick(traders),
        to: book.addresses.router,
        data: encodeFunctionData({
          abi,
          functionName: "addLiquidity",
          args: [tokens[0].address, tokens[1].address, wanted[0] + 1n, wanted[1] + 1n],
        }),
        gas: 350_000,
      }
    },
  },
  {
    name: "remove liquidity",
    weight: 1.2,
    make: ({ random, book, traders }) => {
      const { tokens, opening } = random.pick(book.pairs)
      // The first trader opened the pairs and holds most of their shares.
      const shares = integerRoot(opening[0] * tokens[0].unit * opening[1] * tokens[1].unit)
      const liquidity = (shares * BigInt(random.integer(1, 10))) / 10_000n
      return {
        from: traders[0]!,
        to: book.addresses.router,
        data: encodeFunctionData({
          abi,
          functionName: "removeLiquidity",
          args: [tokens[0].address, tokens[1].address, liquidity],
        }),
        gas: 350_000,
      }
    },
  },
  {
    name: "share transfer",
    weight: 0.5,
    make: ({ random, book, traders, recipients }) => {
      const { address } = random.pick(book.pairs)
      const args = [random.pick(recipients), BigInt(random.integer(1, 100_000))] as const
      return {
        from: traders[0]!,
        to: address,
        data: encodeFunctionData({ abi: Pair.abi, functionName: "transfer", args }),
        gas: 90_000,
      }
    },
  },
  {
    // Every pairing of the mintable tokens is made sooner or later; after that these fail: the pair exists.
    name: "create pair",
    weight: 0.4,
    make: ({ random, book, senders }) => {
      const [a, b] = random.sample(book.mintable, 2)
      return {
        from: random.pick(senders),
        to: book.addresses.factory,
        data: encodeFunctionData({
          abi: PairFactory.abi,
          functionName: "createPair",
          args: [a!.address, b!.address],
        }),
        gas: 2_500_000,
      }
    },
  },
]

function integerRoot(value: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(value))))
  // One Newton step: the floating root is good to 53 bits, which is plenty for an amount of shares.
  root = (root + value / root) / 2n
  return root
}
