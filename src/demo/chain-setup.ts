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
    return {
      from,
      ...call(addresses.factory, 2_500_000, { abi: PairFactory.abi, functionName: "createPair", args }),
    }
  })
  const tokens = book.mintable.map(({ address, unit }) => {
    const args = [senders, 5_000_000n * unit] as const
    return { from, ...call(address, 3_500_000, { abi: MintableToken.abi, functionName: "mintToMany", args }) }
  })
  const args = [traders, goodsIds, goodsIds.map(() => 100_000n)] as const
  const mint = call(addresses.multiToken, 6_000_000, {
    abi: MultiToken.abi,
    functionName: "mintBatchToMany",
    args,
  })
  return [...deploy, ...pairs, ...tokens, { from, ...mint }]
}

const approveRouter = ({ book }: DemoContext, token: Address) => {
  const args = [book.addresses.router, maxUint256] as const
  return call(token, 90_000, { abi: MintableToken.abi, functionName: "approve", args })
}

function trustRouter(context: DemoContext, from: Address): DemoTransaction[] {
  const { weth, pairs } = context.book
  const deposit = call(weth.address, 90_000, { abi: WrappedEther.abi, functionName: "deposit" })
  const traded = new Set(pairs.flatMap(({ tokens }) => tokens.map(({ address }) => address)))
  return [
    { from, ...deposit, value: 5_000n * weth.unit },
    ...[...traded].map((token) => ({ from, ...approveRouter(context, token) })),
  ]
}

function openPairs(context: DemoContext): DemoTransaction[] {
  const { book, traders } = context
  const from = traders[0]!
  return book.pairs.flatMap(({ address, tokens: [a, b], opening }) => {
    const args = [a.address, b.address, opening[0] * a.unit, opening[1] * b.unit] as const
    const add = call(book.addresses.router, 500_000, { abi: Router.abi, functionName: "addLiquidity", args })
    return [
      { from, ...add },
      { from, ...approveRouter(context, address) },
    ]
  })
}

function firstCollectibles({ book, traders }: DemoContext): DemoTransaction[] {
  const to = book.addresses.collectible
  return traders.map((from) => ({
    from,
    ...call(to, 180_000, { abi: Collectible.abi, functionName: "mint", args: [from] }),
  }))
}
