// Trades on the exchange: swaps over one or two pairs, adding and removing liquidity, and creating pairs.

import type { Address } from "viem"
import { Pair, PairFactory, Router } from "./contracts.generated.js"
import { call, type DemoContext, kind, pickAmount, type TransactionKind } from "./transaction-kind.js"

const { abi } = Router

/** Small compared with the pair's reserves, so that prices stay in range. */
function pickTrade({ random, book }: DemoContext) {
  const pair = random.pick(book.pairs)
  const [index, other] = random.chance(0.5) ? ([0, 1] as const) : ([1, 0] as const)
  const reserve = pair.opening[index] * pair.tokens[index].unit
  const amount = (reserve * BigInt(random.integer(1, 200))) / 100_000n
  return { path: [pair.tokens[index].address, pair.tokens[other].address], amount: amount > 0n ? amount : 1n }
}

function swap(context: DemoContext, options: { path: Address[]; amount: bigint; minimumOut: bigint }) {
  const from = context.random.pick(context.traders)
  const args = [options.amount, options.minimumOut, options.path, from] as const
  const functionName = "swapExactTokensForTokens"
  return call({ from, to: context.book.addresses.router, gas: 400_000 }, { abi, functionName, args })
}

export const exchangeTransactions: readonly TransactionKind[] = [
  kind("swap", 14, (context) => swap(context, { ...pickTrade(context), minimumOut: 1n })),
  kind("swap over two pairs", 3, (context) => {
    const { weth, pairs } = context.book
    const [coin, dollar] = context.random.sample([pairs[0]!.tokens[1], pairs[1]!.tokens[1]], 2)
    const path = [coin!.address, weth.address, dollar!.address]
    return swap(context, { path, amount: pickAmount(context.random, coin!.unit, 300), minimumOut: 1n })
  }),
  kind("swap that asks too much", 0.6, (context) => swap(context, { ...pickTrade(context), minimumOut: 2n ** 200n })),
  kind("add liquidity", 2, ({ random, book, traders }) => {
    const { tokens, opening } = random.pick(book.pairs)
    const part = BigInt(random.integer(1, 20))
    const [a, b] = tokens.map((token, i) => (opening[i]! * token.unit * part) / 10_000n) as [bigint, bigint]
    const from = random.pick(traders)
    const args = [tokens[0].address, tokens[1].address, a + 1n, b + 1n] as const
    return call({ from, to: book.addresses.router, gas: 350_000 }, { abi, functionName: "addLiquidity", args })
  }),
  kind("remove liquidity", 1.2, ({ random, book, traders }) => {
    const { tokens, opening } = random.pick(book.pairs)
    // The first trader opened the pairs and holds most of their shares.
    const shares = integerRoot(opening[0] * tokens[0].unit * opening[1] * tokens[1].unit)
    const liquidity = (shares * BigInt(random.integer(1, 10))) / 10_000n
    const args = [tokens[0].address, tokens[1].address, liquidity] as const
    const remove = { from: traders[0]!, to: book.addresses.router, gas: 350_000 }
    return call(remove, { abi, functionName: "removeLiquidity", args })
  }),
  kind("share transfer", 0.5, ({ random, book, traders, recipients }) => {
    const { address } = random.pick(book.pairs)
    const args = [random.pick(recipients), BigInt(random.integer(1, 100_000))] as const
    return call({ from: traders[0]!, to: address, gas: 90_000 }, { abi: Pair.abi, functionName: "transfer", args })
  }),
  // Once every pair of mintable tokens exists, these fail.
  kind("create pair", 0.4, ({ random, book, senders }) => {
    const [a, b] = random.sample(book.mintable, 2)
    const args = [a!.address, b!.address] as const
    const create = { from: random.pick(senders), to: book.addresses.factory, gas: 2_500_000 }
    return call(create, { abi: PairFactory.abi, functionName: "createPair", args })
  }),
]

function integerRoot(value: bigint): bigint {
  const root = BigInt(Math.floor(Math.sqrt(Number(value))))
  // One Newton step: the floating root is exact to 53 bits, which is enough for an amount of shares.
  return (root + value / root) / 2n
}
