// Which contracts a transaction touched, and what kind of transaction it is: the rows of tx_contracts and tx_tags.

import { topicOf } from "./log-words.js"
import { deployments } from "./meta.js"
import type { RawTransaction } from "./read-raw.js"
import type { LogTransfers } from "./tokens.js"

export interface TouchedContract {
  readonly address: string
  readonly called: boolean
  readonly eventCount: number
}

export function touchedContracts(transaction: RawTransaction): TouchedContract[] {
  const called = new Set<string>()
  if (transaction.to !== null && hasInput(transaction)) called.add(transaction.to)
  // A creation that failed made nothing.
  if (transaction.contractAddress !== null && transaction.status !== 0) called.add(transaction.contractAddress)
  const emitted = new Map<string, number>()
  for (const { address } of transaction.logs)
    if (address !== null) emitted.set(address, (emitted.get(address) ?? 0) + 1)
  return [...new Set([...called, ...emitted.keys()])].map((address) => ({
    address,
    called: called.has(address),
    eventCount: emitted.get(address) ?? 0,
  }))
}

const swaps = [
  topicOf("Swap(address,uint256,uint256,uint256,uint256,address)"),
  topicOf("Swap(address,address,int256,int256,uint160,uint128,int24)"),
]
const approvals = [topicOf("Approval(address,address,uint256)"), topicOf("ApprovalForAll(address,address,bool)")]

const ftTags = {
  transfer: "FT_TRANSFER",
  mint: "FT_MINT",
  burn: "FT_BURN",
  deposit: "WRAP",
  withdrawal: "UNWRAP",
} as const
const nftTags = { transfer: "NFT_TRANSFER", mint: "NFT_MINT", burn: "NFT_BURN" } as const

export function tags(transaction: RawTransaction, transfers: readonly LogTransfers[]): Set<string> {
  const failed = transaction.status === 0
  const out = new Set<string>()
  if (failed) out.add("FAILED")
  if (transaction.contractAddress !== null && !failed) out.add("CONTRACT_DEPLOY")
  if (deployments(transaction).some(({ method }) => method === "factory")) out.add("CONTRACT_DEPLOY")
  if (transaction.to !== null && hasInput(transaction)) out.add("CONTRACT_CALL")
  if ((transaction.value ?? 0n) > 0n && !failed) out.add("NATIVE_TRANSFER")
  for (const { ft, nft } of transfers) {
    for (const { kind } of ft) out.add(ftTags[kind])
    for (const { kind } of nft) out.add(nftTags[kind])
  }
  for (const log of transaction.logs) {
    if (swaps.includes(log.topics[0]!)) out.add("SWAP")
    if (approvals.includes(log.topics[0]!)) out.add("APPROVAL")
  }
  return out
}

const hasInput = (transaction: RawTransaction): boolean => (transaction.input ?? "").length > 0
