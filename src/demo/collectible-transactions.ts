// Collectibles (ERC-721) and multi-tokens (ERC-1155): single and batch mints, moves, approvals and burns.

import { encodeFunctionData } from "viem"
import { Collectible, MultiToken } from "./contracts.generated.js"
import {
  type DemoContext,
  type DemoTransaction,
  pickRecipient,
  type TransactionKind,
} from "./transaction-kind.js"

/** The ids every trader is given some of at the start. */
export const goodsIds: readonly bigint[] = [1n, 2n, 3n, 5n, 8n, 13n, 2n ** 128n + 7n, 2n ** 255n + 9n]

type CollectibleCall = Parameters<typeof encodeFunctionData<typeof Collectible.abi>>[0]
type MultiTokenCall = Parameters<typeof encodeFunctionData<typeof MultiToken.abi>>[0]

/** Only the youngest hundred are traded, so that picking one does not slow down as the collection grows. */
function pickOwned({ random, collectibles, senders, taken }: DemoContext) {
  const owned = collectibles.ownedBy(new Set(senders)).slice(-100)
  const picked = owned.length === 0 ? undefined : random.pick(owned)
  // Now and then two want the same one, and the second fails.
  if (picked === undefined || (taken.has(picked.id) && random.chance(0.8))) return undefined
  taken.add(picked.id)
  return picked
}

function onCollectible(
  { book }: DemoContext,
  from: `0x${string}`,
  call: Omit<CollectibleCall, "abi">,
): DemoTransaction {
  const data = encodeFunctionData({ abi: Collectible.abi, ...call } as CollectibleCall)
  return { from, to: book.addresses.collectible, data, gas: 180_000 }
}

function onGoods(
  { book }: DemoContext,
  from: `0x${string}`,
  call: Omit<MultiTokenCall, "abi">,
): DemoTransaction {
  const data = encodeFunctionData({ abi: MultiToken.abi, ...call } as MultiTokenCall)
  return { from, to: book.addresses.multiToken, data, gas: 400_000 }
}

function pickGoods({ random }: DemoContext): { ids: bigint[]; values: bigint[] } {
  const ids = random.sample(goodsIds, random.integer(2, 6))
  return { ids, values: ids.map(() => BigInt(random.integer(1, 6))) }
}

export const collectibleTransactions: readonly TransactionKind[] = [
  {
    name: "collectible mint",
    weight: 4,
    make: (context) => {
      const from = context.random.pick(context.senders)
      const to = context.random.chance(0.7) ? from : pickRecipient(context)
      return onCollectible(context, from, { functionName: "mint", args: [to] })
    },
  },
  {
    name: "collectible transfer",
    weight: 5,
    make: (context) => {
      const owned = pickOwned(context)
      if (owned === undefined) return undefined
      const args = [owned.owner, pickRecipient(context), owned.id] as const
      return onCollectible(context, owned.owner, { functionName: "transferFrom", args })
    },
  },
  {
    name: "collectible burn",
    weight: 1.5,
    make: (context) => {
      const owned = pickOwned(context)
      return owned && onCollectible(context, owned.owner, { functionName: "burn", args: [owned.id] })
    },
  },
  {
    name: "collectible approve",
    weight: 1,
    make: (context) => {
      const owned = pickOwned(context)
      const args = owned && ([pickRecipient(context), owned.id] as const)
      return owned && onCollectible(context, owned.owner, { functionName: "approve", args })
    },
  },
  {
    name: "collectible approve all",
    weight: 0.7,
    make: (context) => {
      const args = [pickRecipient(context), context.random.chance(0.6)] as const
      return onCollectible(context, context.random.pick(context.senders), {
        functionName: "setApprovalForAll",
        args,
      })
    },
  },
  {
    name: "goods mint",
    weight: 2,
    make: (context) => {
      const { random, senders } = context
      const args = [pickRecipient(context), random.pick(goodsIds), BigInt(random.integer(1, 100))] as const
      return onGoods(context, random.pick(senders), { functionName: "mint", args })
    },
  },
  {
    name: "goods mint batch",
    weight: 1,
    make: (context) => {
      const { ids, values } = pickGoods(context)
      const args = [pickRecipient(context), ids, values] as const
      return onGoods(context, context.random.pick(context.senders), { functionName: "mintBatch", args })
    },
  },
  {
    name: "goods transfer",
    weight: 3,
    make: (context) => {
      const { random, traders } = context
      const from = random.pick(traders)
      const args = [
        from,
        pickRecipient(context),
        random.pick(goodsIds),
        BigInt(random.integer(1, 4)),
        "0x",
      ] as const
      return onGoods(context, from, { functionName: "safeTransferFrom", args })
    },
  },
  {
    name: "goods transfer batch",
    weight: 2,
    make: (context) => {
      const from = context.random.pick(context.traders)
      const { ids, values } = pickGoods(context)
      const args = [from, pickRecipient(context), ids, values, "0x"] as const
      return onGoods(context, from, { functionName: "safeBatchTransferFrom", args })
    },
  },
  {
    name: "goods burn",
    weight: 1,
    make: (context) => {
      const args = [context.random.pick(goodsIds), BigInt(context.random.integer(1, 3))] as const
      return onGoods(context, context.random.pick(context.traders), { functionName: "burn", args })
    },
  },
  {
    name: "goods burn batch",
    weight: 0.7,
    make: (context) => {
      const { ids, values } = pickGoods(context)
      return onGoods(context, context.random.pick(context.traders), {
        functionName: "burnBatch",
        args: [ids, values],
      })
    },
  },
  {
    name: "goods approve all",
    weight: 0.5,
    make: (context) => {
      const args = [pickRecipient(context), context.random.chance(0.6)] as const
      return onGoods(context, context.random.pick(context.senders), {
        functionName: "setApprovalForAll",
        args,
      })
    },
  },
  {
    name: "goods metadata",
    weight: 0.4,
    make: (context) => {
      const { random, senders } = context
      const id = random.pick(goodsIds)
      const args = [id, `ipfs://bafybeigdemoharbourgoods/${id}-${random.integer(0, 100)}.json`] as const
      return onGoods(context, random.pick(senders), { functionName: "setURI", args })
    },
  },
]
