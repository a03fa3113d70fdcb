// The first blocks of the demo chain: deploy, open pairs, hand out tokens, approve, add liquidity. What the deployer
// does is a fixed list, one step per nonce, so a broken-off setup goes on where it stopped and never deploys twice.

import { encodeFunctionData, maxUint256 } from "viem"
import { goodsIds } from "./collectible-transactions.js"
import {
  Collectible,
  MintableToken,
  MultiToken,
  PairFactory,
  Router,
  WrappedEther,
} from "./contracts.generated.js"
import type { DemoContext, DemoTransaction } from "./transaction-kind.js"

/** Blocks 1 to 7. */
export const setupBlocks = 7
const stepsByBlock = 8

/** What block `height` sends; `deployerNonce` says which of the deployer's steps are done. */
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

function deployerSteps({ book, deployer, senders, traders }: DemoContext): DemoTransaction[] {
  const deploy = book.deployments.map((data) => ({ from: deployer, data, gas: 3_500_000 }))
  const pairs = book.pairs.map(({ tokens }) => ({
    from: deployer,
    to: book.addresses.factory,
    data: encodeFunctionData({
      abi: PairFactory.abi,
      functionName: "createPair",
      args: [tokens[0].address, tokens[1].address],
    }),
    gas: 2_500_000,
  }))
  const tokens = book.mintable.map((token) => ({
    from: deployer,
    to: token.address,
    data: encodeFunctionData({
      abi: MintableToken.abi,
      functionName: "mintToMany",
      args: [senders, 5_000_000n * token.unit],
    }),
    gas: 3_500_000,
  }))
  const goods = {
    from: deployer,
    to: book.addresses.multiToken,
    data: encodeFunctionData({
      abi: MultiToken.abi,
      functionName: "mintBatchToMany",
      args: [traders, goodsIds, goodsIds.map(() => 100_000n)],
    }),
    gas: 6_000_000,
  }
  return [...deploy, ...pairs, ...tokens, goods]
}

function trustRouter({ book }: DemoContext, trader: `0x${string}`): DemoTransaction[] {
  const approve = (token: `0x${string}`): DemoTransaction => ({
    from: trader,
    to: token,
    data: encodeFunctionData({
      abi: MintableToken.abi,
      functionName: "approve",
      args: [book.addresses.router, maxUint256],
    }),
    gas: 90_000,
  })
  const wrap: DemoTransaction = {
    from: trader,
    to: book.weth.address,
    data: encodeFunctionData({ abi: WrappedEther.abi, functionName: "deposit" }),
    value: 5_000n * book.weth.unit,
    gas: 90_000,
  }
  const traded = new Set(book.pairs.flatMap(({ tokens }) => tokens.map(({ address }) => address)))
  return [wrap, ...[...traded].map(approve)]
}

function openPairs({ book, traders }: DemoContext): DemoTransaction[] {
  const from = traders[0]!
  return book.pairs.flatMap(({ address, tokens, opening }) => [
    {
      from,
      to: book.addresses.router,
      data: encodeFunctionData({
        abi: Router.abi,
        functionName: "addLiquidity",
        args: [
          tokens[0].address,
          tokens[1].address,
          opening[0] * tokens[0].unit,
          opening[1] * tokens[1].unit,
        ],
      }),
      gas: 500_000,
    },
    {
      from,
      to: address,
      data: encodeFunctionData({
        abi: MintableToken.abi,
        functionName: "approve",
        args: [book.addresses.router, maxUint256],
      }),
      gas: 90_000,
    },
  ])
}

function firstCollectibles({ book, traders }: DemoContext): DemoTransaction[] {
  return traders.map((from) => ({
    from,
    to: book.addresses.collectible,
    data: encodeFunctionData({ abi: Collectible.abi, functionName: "mint", args: [from] }),
    gas: 180_000,
  }))
}
