// What a transaction did, as a set of tags: one bit each, in the order of this list.

import type { EventView, TransactionView } from "../../raw/block-view.js"
import { decodeFactoryDeployment } from "../evm-events/decode-factory-deployment.js"
import { eventTopics } from "../evm-events/event-topics.js"

export const tags = [
  "FAILED",
  "CONTRACT_DEPLOY",
  "CONTRACT_CALL",
  "NATIVE_TRANSFER",
  "FT_TRANSFER",
  "FT_MINT",
  "FT_BURN",
  "WRAP",
  "UNWRAP",
  "NFT_TRANSFER",
  "NFT_MINT",
  "NFT_BURN",
  "SWAP",
  "APPROVAL",
] as const

type Tag = (typeof tags)[number]

const bit = (tag: Tag): number => 1 << tags.indexOf(tag)

const failed = bit("FAILED")
const contractDeploy = bit("CONTRACT_DEPLOY")
const contractCall = bit("CONTRACT_CALL")
const nativeTransfer = bit("NATIVE_TRANSFER")
const swap = bit("SWAP")
const approval = bit("APPROVAL")

/** By the kind of a row of ft_transfers. */
export const ftBits: ReadonlyMap<unknown, number> = new Map([
  ["transfer", bit("FT_TRANSFER")],
  ["mint", bit("FT_MINT")],
  ["burn", bit("FT_BURN")],
  ["deposit", bit("WRAP")],
  ["withdrawal", bit("UNWRAP")],
])

/** By the kind of a row of nft_transfers. */
export const nftBits: ReadonlyMap<unknown, number> = new Map([
  ["transfer", bit("NFT_TRANSFER")],
  ["mint", bit("NFT_MINT")],
  ["burn", bit("NFT_BURN")],
])

/**
 * Measured on the encoded field (four bytes of length, then the content): a rollup's input has hundreds of
 * kilobytes.
 */
export const hasInput = (transaction: TransactionView): boolean => transaction.field("input").byteLength > 4

/** The tags of the transaction itself and of its logs. */
export function transactionBits(transaction: TransactionView): number {
  const done = transaction.status !== 0
  let bits = done ? 0 : failed
  if (transaction.to !== null && hasInput(transaction)) bits |= contractCall
  if (done && transaction.contractAddress !== null) bits |= contractDeploy
  if (done && transaction.value !== null && transaction.value > 0n) bits |= nativeTransfer
  for (const event of transaction.events) bits |= eventBits(event, done)
  return bits
}

function eventBits(event: EventView, done: boolean): number {
  switch (event.topics[0]) {
    case undefined:
      return 0
    case eventTopics["Swap(address,uint256,uint256,uint256,uint256,address)"]:
    case eventTopics["Swap(address,address,int256,int256,uint160,uint128,int24)"]:
      return swap
    case eventTopics["Approval(address,address,uint256)"]:
    case eventTopics["ApprovalForAll(address,address,bool)"]:
      return approval
    default:
      return done && decodeFactoryDeployment(event) !== null ? contractDeploy : 0
  }
}
