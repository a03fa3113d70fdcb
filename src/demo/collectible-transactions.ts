// Collectibles (ERC-721) and multi-tokens (ERC-1155): single and batch mints, moves, approvals and burns.

import { Collectible, MultiToken } from "./contracts.generated.js"
import { call, type DemoContext, kind, pickRecipient, type TransactionKind } from "./transaction-kind.js"

/** Every trader gets some of these ids in the setup. */
export const goodsIds: readonly bigint[] = [1n, 2n, 3n, 5n, 8n, 13n, 2n ** 128n + 7n, 2n ** 255n + 9n]

const { abi } = Collectible
const goods = MultiToken.abi
const collectibleGas = 180_000
const goodsGas = 400_000

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
    return {
      from,
      ...call(context.book.addresses.collectible, collectibleGas, { abi, functionName: "mint", args }),
    }
  }),
  kind("collectible transfer", 5, (context) => {
    const owned = pickOwned(context)
    if (!owned) return undefined
    const to = context.book.addresses.collectible
    const args = [owned.owner, pickRecipient(context), owned.id] as const
    return { from: owned.owner, ...call(to, collectibleGas, { abi, functionName: "transferFrom", args }) }
  }),
  kind("collectible burn", 1.5, (context) => {
    const owned = pickOwned(context)
    if (!owned) return undefined
    const to = context.book.addresses.collectible
    return { from: owned.owner, ...call(to, collectibleGas, { abi, functionName: "burn", args: [owned.id] }) }
  }),
  kind("collectible approve", 1, (context) => {
    const owned = pickOwned(context)
    if (!owned) return undefined
    const to = context.book.addresses.collectible
    const args = [pickRecipient(context), owned.id] as const
    return { from: owned.owner, ...call(to, collectibleGas, { abi, functionName: "approve", args }) }
  }),
  kind("collectible approve all", 0.7, (context) => {
    const { random, senders, book } = context
    const args = [pickRecipient(context), random.chance(0.6)] as const
    const approve = call(book.addresses.collectible, collectibleGas, {
      abi,
      functionName: "setApprovalForAll",
      args,
    })
    return { from: random.pick(senders), ...approve }
  }),
  kind("goods mint", 2, (context) => {
    const { random, senders, book } = context
    const args = [pickRecipient(context), random.pick(goodsIds), BigInt(random.integer(1, 100))] as const
    const mint = call(book.addresses.multiToken, goodsGas, { abi: goods, functionName: "mint", args })
    return { from: random.pick(senders), ...mint }
  }),
  kind("goods mint batch", 1, (context) => {
    const { random, senders, book } = context
    const { ids, values } = pickGoods(context)
    const args = [pickRecipient(context), ids, values] as const
    const mint = call(book.addresses.multiToken, goodsGas, { abi: goods, functionName: "mintBatch", args })
    return { from: random.pick(senders), ...mint }
  }),
  kind("goods transfer", 3, (context) => {
    const { random, traders, book } = context
    const from = random.pick(traders)
    const to = pickRecipient(context)
    const args = [from, to, random.pick(goodsIds), BigInt(random.integer(1, 4)), "0x"] as const
    return {
      from,
      ...call(book.addresses.multiToken, goodsGas, { abi: goods, functionName: "safeTransferFrom", args }),
    }
  }),
  kind("goods transfer batch", 2, (context) => {
    const from = context.random.pick(context.traders)
    const { ids, values } = pickGoods(context)
    const to = context.book.addresses.multiToken
    const args = [from, pickRecipient(context), ids, values, "0x"] as const
    return { from, ...call(to, goodsGas, { abi: goods, functionName: "safeBatchTransferFrom", args }) }
  }),
  kind("goods burn", 1, ({ random, traders, book }) => {
    const args = [random.pick(goodsIds), BigInt(random.integer(1, 3))] as const
    const burn = call(book.addresses.multiToken, goodsGas, { abi: goods, functionName: "burn", args })
    return { from: random.pick(traders), ...burn }
  }),
  kind("goods burn batch", 0.7, (context) => {
    const { random, traders, book } = context
    const { ids, values } = pickGoods(context)
    const args = [ids, values] as const
    const burn = call(book.addresses.multiToken, goodsGas, { abi: goods, functionName: "burnBatch", args })
    return { from: random.pick(traders), ...burn }
  }),
  kind("goods approve all", 0.5, (context) => {
    const { random, senders, book } = context
    const args = [pickRecipient(context), random.chance(0.6)] as const
    const approve = call(book.addresses.multiToken, goodsGas, {
      abi: goods,
      functionName: "setApprovalForAll",
      args,
    })
    return { from: random.pick(senders), ...approve }
  }),
  kind("goods metadata", 0.4, ({ random, senders, book }) => {
    const id = random.pick(goodsIds)
    const args = [id, `ipfs://bafybeigdemoharbourgoods/${id}-${random.integer(0, 100)}.json`] as const
    const set = call(book.addresses.multiToken, goodsGas, { abi: goods, functionName: "setURI", args })
    return { from: random.pick(senders), ...set }
  }),
]
