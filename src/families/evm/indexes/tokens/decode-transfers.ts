// Decodes the token transfers in the logs of one transaction. Pure, and never throws: anyone can emit anything, so a
// log that does not match its first topic gives no transfer.

import type { Hex } from "../../../../domain/linked-block.js"
import type { EventView, TransactionView } from "../../raw/block-view.js"
import { addressAt, dataLength, isWord, sizeAt, topicAddress, wordAt, zeroAddress } from "../evm-events/abi-words.js"
import { eventTopics } from "../evm-events/event-topics.js"

/** A mint comes from the zero address, a burn goes to it. */
type TransferKind = "transfer" | "mint" | "burn"

interface FtTransfer {
  readonly eventIndex: number
  readonly contract: Hex
  readonly from: Hex
  readonly to: Hex
  /** A word. */
  readonly amount: Hex
  /** deposit and withdrawal: of wrapped ether. Not every wrapper also logs a mint or burn. */
  readonly kind: TransferKind | "deposit" | "withdrawal"
}

interface NftTransfer {
  readonly eventIndex: number
  /** The position in a TransferBatch, else 0. */
  readonly batchIndex: number
  readonly contract: Hex
  readonly standard: "erc721" | "erc1155"
  /** Who moved it; ERC-1155 only. */
  readonly operator: Hex | null
  readonly from: Hex
  readonly to: Hex
  /** A word. */
  readonly tokenId: Hex
  /** A word. */
  readonly amount: Hex
  readonly kind: TransferKind
}

/** Both in the order of the logs. */
export interface Transfers {
  readonly ft: readonly FtTransfer[]
  readonly nft: readonly NftTransfer[]
}

const transferTopic = eventTopics["Transfer(address,address,uint256)"]
const singleTopic = eventTopics["TransferSingle(address,address,address,uint256,uint256)"]
const batchTopic = eventTopics["TransferBatch(address,address,address,uint256[],uint256[])"]
const depositTopic = eventTopics["Deposit(address,uint256)"]
const withdrawalTopic = eventTopics["Withdrawal(address,uint256)"]

const one: Hex = `0x${"1".padStart(64, "0")}`
const none: Transfers = { ft: [], nft: [] }

export function decodeTransfers(transaction: TransactionView): Transfers {
  const { events } = transaction
  if (events.length === 0) return none
  const ft: FtTransfer[] = []
  const nft: NftTransfer[] = []
  let wraps = false
  for (const event of events) {
    const { topics } = event
    const topic = topics[0]
    if (topic === transferTopic) {
      if (topics.length === 4) decodeErc721(event, topics, nft)
      else decodeErc20(event, topics, ft)
    } else if (topic === depositTopic || topic === withdrawalTopic) {
      wraps = decodeWrap(event, topics, ft) || wraps
    } else if (topic === singleTopic) decodeSingle(event, topics, nft)
    else if (topic === batchTopic) decodeBatch(event, topics, nft)
  }
  return { ft: wraps ? withoutRepeatedWraps(ft) : ft, nft }
}

const kindOf = (from: Hex, to: Hex): TransferKind =>
  from === zeroAddress ? "mint" : to === zeroAddress ? "burn" : "transfer"

/** The standard indexes both parties. Older tokens index one or none; the others are then words of the data. */
function decodeErc20(event: EventView, topics: readonly Hex[], ft: FtTransfer[]): void {
  const contract = event.address
  const indexed = topics.length - 1
  if (contract === null || indexed > 2) return
  const { data } = event
  const from = indexed > 0 ? topicAddress(topics[1]) : addressAt(data, 0)
  const to = indexed > 1 ? topicAddress(topics[2]) : addressAt(data, 32 * (1 - indexed))
  const amount = wordAt(data, 32 * (2 - indexed))
  if (from === null || to === null || amount === null) return
  ft.push({ eventIndex: event.index, contract, from, to, amount, kind: kindOf(from, to) })
}

function decodeErc721(event: EventView, topics: readonly Hex[], nft: NftTransfer[]): void {
  const contract = event.address
  const from = topicAddress(topics[1])
  const to = topicAddress(topics[2])
  const tokenId = topics[3]
  if (contract === null || from === null || to === null || !isWord(tokenId)) return
  nft.push({
    eventIndex: event.index,
    batchIndex: 0,
    contract,
    standard: "erc721",
    operator: null,
    from,
    to,
    tokenId,
    amount: one,
    kind: kindOf(from, to),
  })
}

/** Whether it gave a row. */
function decodeWrap(event: EventView, topics: readonly Hex[], ft: FtTransfer[]): boolean {
  if (topics.length !== 2) return false
  const contract = event.address
  const account = topicAddress(topics[1])
  const amount = wordAt(event.data, 0)
  if (contract === null || account === null || amount === null) return false
  const moved =
    topics[0] === depositTopic
      ? ({ from: zeroAddress, to: account, amount, kind: "deposit" } as const)
      : ({ from: account, to: zeroAddress, amount, kind: "withdrawal" } as const)
  ft.push({ eventIndex: event.index, contract, ...moved })
  return true
}

/** Some wrappers log a deposit as a Transfer as well; counting both would double it. */
function withoutRepeatedWraps(ft: readonly FtTransfer[]): FtTransfer[] {
  const isWrap = ({ kind }: FtTransfer) => kind === "deposit" || kind === "withdrawal"
  const identity = ({ contract, from, to, amount }: FtTransfer) => contract + from + to + amount
  const transfers = new Set<string>()
  for (const row of ft) if (!isWrap(row)) transfers.add(identity(row))
  return ft.filter((row) => !isWrap(row) || !transfers.has(identity(row)))
}

type Parties = Omit<NftTransfer, "batchIndex" | "tokenId" | "amount">

function erc1155Parties(event: EventView, topics: readonly Hex[]): Parties | null {
  if (topics.length !== 4) return null
  const contract = event.address
  const operator = topicAddress(topics[1])
  const from = topicAddress(topics[2])
  const to = topicAddress(topics[3])
  if (contract === null || operator === null || from === null || to === null) return null
  return {
    eventIndex: event.index,
    contract,
    standard: "erc1155",
    operator,
    from,
    to,
    kind: kindOf(from, to),
  }
}

function decodeSingle(event: EventView, topics: readonly Hex[], nft: NftTransfer[]): void {
  const parties = erc1155Parties(event, topics)
  const { data } = event
  const tokenId = wordAt(data, 0)
  const amount = wordAt(data, 32)
  if (parties === null || tokenId === null || amount === null) return
  nft.push({ ...parties, batchIndex: 0, tokenId, amount })
}

function decodeBatch(event: EventView, topics: readonly Hex[], nft: NftTransfer[]): void {
  const parties = erc1155Parties(event, topics)
  const { data } = event
  const ids = arrayAt(data, 0)
  const amounts = arrayAt(data, 32)
  if (parties === null || ids === null || amounts === null || ids.length !== amounts.length) return
  for (let batchIndex = 0; batchIndex < ids.length; batchIndex++) {
    // Both exist: arrayAt checked that the arrays are within the data.
    const tokenId = wordAt(data, ids.from + 32 * batchIndex)!
    const amount = wordAt(data, amounts.from + 32 * batchIndex)!
    nft.push({ ...parties, batchIndex, tokenId, amount })
  }
}

/** The words of the array whose offset is at this byte; null unless all are within the data. */
function arrayAt(data: Hex | null, byte: number): { readonly from: number; readonly length: number } | null {
  const offset = sizeAt(data, byte)
  if (offset === null) return null
  const length = sizeAt(data, offset)
  // Checked before anything is read or allocated: the emitter can write any length.
  if (length === null || offset + 32 + 32 * length > dataLength(data)) return null
  return { from: offset + 32, length }
}
