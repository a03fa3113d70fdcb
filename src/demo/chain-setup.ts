// The first blocks of the demo chain: deploy, create pairs, mint tokens, approve, add liquidity. The deployer's steps
// are a fixed list, one per nonce, so that an interrupted setup resumes where it stopped and never deploys twice.

import type { Address } from "viem"
import { maxUint256 } from "viem"
import { goodsIds } from "./collectible-transactions.js"
import { Collectible, MintableToken, MultiToken, PairFactory, Router, WrappedEther } from "./contracts.generated.js"
import { call, type DemoContext, type DemoTransaction } from "./transaction-kind.js"

/** Blocks 1 to 7. */
export const setupBlocks = 7
const stepsByBlock = 8

/** The transactions of block `height`; `deployerNonce` is the number of steps that the deployer has done. */
export function setupTransactions(
  context: DemoContext,
  { height, deployerNonce }: { readonly height: number; readonly deployerNonce: number },
): DemoTransaction[] {
  const { traders } = context
  const half = traders.length / 2
  if (height <= 4) {
    const steps = deployerSteps(context)
    const end = height === 4 ? steps.length : height * stepsByBlock
    return steps.slice(deployerNonce, Math.max(end, deployerNonce))
  }
  if (height === 5) return traders.slice(0, half).flatMap((trader) => trustRouter(context, trader))
  if (height === 6) return traders.slice(half).flatMap((trader) => trustRouter(context, trader))
  return [...openPairs(context), ...firstCollectibles(context)]
}

function deployerSteps({ book, deployer: from, senders, traders }: DemoContext): DemoTransaction[] {
  const { addresses } = book
  const deploy = book.deployments.map((data) => ({ from, data, gas: 3_500_000 }))
  const pairs = book.pairs.map(({ tokens: [a, b] }) => {
    const args = [a.address, b.address] as const
    const create = { from, to: addresses.factory, gas: 2_500_000 }
    return call(create, { abi: PairFactory.abi, functionName: "createPair", args })
  })
  const tokens = book.mintable.map(({ address, unit }) => {
    const args = [senders, 5_000_000n * unit] as const
    const mint = { from, to: address, gas: 3_500_000 }
    return call(mint, { abi: MintableToken.abi, functionName: "mintToMany", args })
  })
  const args = [traders, goodsIds, goodsIds.map(() => 100_000n)] as const
  const mint = { from, to: addresses.multiToken, gas: 6_000_000 }
  const goods = call(mint, { abi: MultiToken.abi, functionName: "mintBatchToMany", args })
  return [...deploy, ...pairs, ...tokens, goods]
}

const approveRouter = ({ book }: DemoContext, { from, token }: { from: Address; token: Address }) => {
  const args = [book.addresses.router, maxUint256] as const
  return call({ from, to: token, gas: 90_000 }, { abi: MintableToken.abi, functionName: "approve", args })
}

function trustRouter(context: DemoContext, from: Address): DemoTransaction[] {
  const { weth, pairs } = context.book
  const deposit = { from, to: weth.address, gas: 90_000, value: 5_000n * weth.unit }
  const traded = new Set(pairs.flatMap(({ tokens }) => tokens.map(({ address }) => address)))
  return [
    call(deposit, { abi: WrappedEther.abi, functionName: "deposit" }),
    ...[...traded].map((token) => approveRouter(context, { from, token })),
  ]
}

function openPairs(context: DemoContext): DemoTransaction[] {
  const { book, traders } = context
  const from = traders[0]!
  return book.pairs.flatMap(({ address, tokens: [a, b], opening }) => {
    const args = [a.address, b.address, opening[0] * a.unit, opening[1] * b.unit] as const
    const add = { from, to: book.addresses.router, gas: 500_000 }
    return [
      call(add, { abi: Router.abi, functionName: "addLiquidity", args }),
      approveRouter(context, { from, token: address }),
    ]
  })
}

function firstCollectibles({ book, traders }: DemoContext): DemoTransaction[] {
  const to = book.addresses.collectible
  return traders.map((from) =>
    call({ from, to, gas: 180_000 }, { abi: Collectible.abi, functionName: "mint", args: [from] }),
  )
}
