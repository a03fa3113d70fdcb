// Collectibles (ERC-721) and multi-tokens (ERC-1155): single and batch mints, moves, approvals and burns.

import { Collectible, MultiToken } from "./contracts.generated.js"
import { call, type DemoContext, kind, pickRecipient, type TransactionKind } from "./transaction-kind.js"

/** Every trader gets some of these ids in the setup. */
export const goodsIds: readonly bigint[] = [1n, 2n, 3n, 5n, 8n, 13n, 2n ** 128n + 7n, 2n ** 255n + 9n]

const { abi } = Collectible
const goods = MultiToken.abi
const collectible = ({ book }: DemoContext) => ({ to: book.addresses.collectible, gas: 180_000 })
const multiToken = ({ book }: DemoContext) => ({ to: book.addresses.multiToken, gas: 400_000 })

/** Only the newest hundred are traded, so that picking one does not slow down as the collection grows. */
function pickOwned({ random, collectibles, senders, taken }: DemoContext) {
  const owned = collectibles.ownedBy(new Set(senders)).slice(-100)
  const picked = owned.length === 0 ? undefined : random.pick(owned)
  // Sometimes two transactions move the same one, and the second fails.
  if (picked === undefined || (taken.has(picked.id) && random.chance(0.8))) return undefined
  taken.add(picked.id)
  return picked
}

function pickGoods({ random }: DemoContext): { ids: bigint[]; values: bigint[] } {
  const ids = random.sample(goodsIds, random.integer(2, 6))
  return { ids, values: ids.map(() => BigInt(random.integer(1, 6))) }
}

export const collectibleTransactions: readonly TransactionKind[] = [
  kind("collectible mint", 4, (context) => {
    const from = context.random.pick(context.senders)
    const args = [context.random.chance(0.7) ? from : pickRecipient(context)] as const
    return call({ from, ...collectible(context) }, { abi, functionName: "mint", args })
  }),
  kind("collectible transfer", 5, (context) => {
    const owned = pickOwned(context)
    if (!owned) return undefined
    const args = [owned.owner, pickRecipient(context), owned.id] as const
    return call({ from: owned.owner, ...collectible(context) }, { abi, functionName: "transferFrom", args })
  }),
  kind("collectible burn", 1.5, (context) => {
    const owned = pickOwned(context)
    if (!owned) return undefined
    return call({ from: owned.owner, ...collectible(context) }, { abi, functionName: "burn", args: [owned.id] })
  }),
  kind("collectible approve", 1, (context) => {
    const owned = pickOwned(context)
    if (!owned) return undefined
    const args = [pickRecipient(context), owned.id] as const
    return call({ from: owned.owner, ...collectible(context) }, { abi, functionName: "approve", args })
  }),
  kind("collectible approve all", 0.7, (context) => {
    const args = [pickRecipient(context), context.random.chance(0.6)] as const
    const from = context.random.pick(context.senders)
    return call({ from, ...collectible(context) }, { abi, functionName: "setApprovalForAll", args })
  }),
  kind("goods mint", 2, (context) => {
    const { random, senders } = context
    const args = [pickRecipient(context), random.pick(goodsIds), BigInt(random.integer(1, 100))] as const
    const from = random.pick(senders)
    return call({ from, ...multiToken(context) }, { abi: goods, functionName: "mint", args })
  }),
  kind("goods mint batch", 1, (context) => {
    const { ids, values } = pickGoods(context)
    const args = [pickRecipient(context), ids, values] as const
    const from = context.random.pick(context.senders)
    return call({ from, ...multiToken(context) }, { abi: goods, functionName: "mintBatch", args })
  }),
  kind("goods transfer", 3, (context) => {
    const { random, traders } = context
    const from = random.pick(traders)
    const to = pickRecipient(context)
    const args = [from, to, random.pick(goodsIds), BigInt(random.integer(1, 4)), "0x"] as const
    return call({ from, ...multiToken(context) }, { abi: goods, functionName: "safeTransferFrom", args })
  }),
  kind("goods transfer batch", 2, (context) => {
    const from = context.random.pick(context.traders)
    const { ids, values } = pickGoods(context)
    const args = [from, pickRecipient(context), ids, values, "0x"] as const
    return call({ from, ...multiToken(context) }, { abi: goods, functionName: "safeBatchTransferFrom", args })
  }),
  kind("goods burn", 1, (context) => {
    const { random, traders } = context
    const args = [random.pick(goodsIds), BigInt(random.integer(1, 3))] as const
    const from = random.pick(traders)
    return call({ from, ...multiToken(context) }, { abi: goods, functionName: "burn", args })
  }),
  kind("goods burn batch", 0.7, (context) => {
    const { ids, values } = pickGoods(context)
    const from = context.random.pick(context.traders)
    return call({ from, ...multiToken(context) }, { abi: goods, functionName: "burnBatch", args: [ids, values] })
  }),
  kind("goods approve all", 0.5, (context) => {
    const args = [pickRecipient(context), context.random.chance(0.6)] as const
    const from = context.random.pick(context.senders)
    return call({ from, ...multiToken(context) }, { abi: goods, functionName: "setApprovalForAll", args })
  }),
  kind("goods metadata", 0.4, (context) => {
    const { random, senders } = context
    const id = random.pick(goodsIds)
    const args = [id, `ipfs://bafybeigdemoharbourgoods/${id}-${random.integer(0, 100)}.json`] as const
    const from = random.pick(senders)
    return call({ from, ...multiToken(context) }, { abi: goods, functionName: "setURI", args })
  }),
]
