// What the logs of one transaction say about tokens: the rows of ft_transfers and nft_transfers, by log.

import { asAddress, asNumber, dataArray, dataWord, topicOf, topicsAreWhole, zeroAddress } from "./log-words.js"
import type { RawLog, RawTransaction } from "./read-raw.js"

const transfer = topicOf("Transfer(address,address,uint256)")
const transferSingle = topicOf("TransferSingle(address,address,address,uint256,uint256)")
const transferBatch = topicOf("TransferBatch(address,address,address,uint256[],uint256[])")
const deposit = topicOf("Deposit(address,uint256)")
const withdrawal = topicOf("Withdrawal(address,uint256)")

type FtKind = "transfer" | "mint" | "burn" | "deposit" | "withdrawal"
type NftKind = "transfer" | "mint" | "burn"

export interface FtTransfer {
  readonly eventIndex: number
  readonly contract: string
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly kind: FtKind
}

export interface NftTransfer {
  readonly eventIndex: number
  readonly batchIndex: number
  readonly contract: string
  readonly standard: "erc721" | "erc1155"
  readonly operator: string | null
  readonly from: string
  readonly to: string
  readonly tokenId: bigint
  readonly amount: bigint
  readonly kind: NftKind
}

export interface LogTransfers {
  readonly ft: readonly FtTransfer[]
  readonly nft: readonly NftTransfer[]
}

/** One entry for each log, in the order of the logs. */
export function tokenTransfers(transaction: RawTransaction): LogTransfers[] {
  // First the Transfer logs alone: a deposit or withdrawal is dropped when any of them says the same, before it or after.
  const said = new Set<string>()
  for (const log of transaction.logs) {
    const row = erc20(log)
    if (row) said.add(`${row.contract} ${row.from} ${row.to} ${row.amount}`)
  }
  return transaction.logs.map((log) => {
    const plain = erc20(log)
    if (plain) return { ft: [plain], nft: [] }
    const wrap = wrapped(log)
    if (wrap) {
      const twice = said.has(`${wrap.contract} ${wrap.from} ${wrap.to} ${wrap.amount}`)
      return { ft: twice ? [] : [wrap], nft: [] }
    }
    return { ft: [], nft: [...erc721(log), ...erc1155Single(log), ...erc1155Batch(log)] }
  })
}

function kindOf(from: string, to: string): NftKind {
  if (from === zeroAddress) return "mint"
  if (to === zeroAddress) return "burn"
  return "transfer"
}

/** The contract, when the log bears this event with this many topics and all of them are whole. */
function emitter(log: RawLog, event: string, topicCounts: readonly number[]): string | undefined {
  if (log.topics[0] !== event || !topicCounts.includes(log.topics.length)) return undefined
  if (log.address === null || !topicsAreWhole(log)) return undefined
  return log.address
}

function erc20(log: RawLog): FtTransfer | undefined {
  const contract = emitter(log, transfer, [1, 2, 3])
  if (contract === undefined) return undefined
  const words: (string | undefined)[] = log.topics.slice(1)
  for (let i = 0; words.length < 3; i++) words.push(dataWord(log, i))
  const from = asAddress(words[0])
  const to = asAddress(words[1])
  const amount = asNumber(words[2])
  if (from === undefined || to === undefined || amount === undefined) return undefined
  return { eventIndex: log.eventIndex, contract, from, to, amount, kind: kindOf(from, to) }
}

function wrapped(log: RawLog): FtTransfer | undefined {
  const eventIndex = log.eventIndex
  const account = asAddress(log.topics[1])
  const amount = asNumber(dataWord(log, 0))
  if (account === undefined || amount === undefined) return undefined
  const into = emitter(log, deposit, [2])
  if (into !== undefined)
    return { eventIndex, contract: into, from: zeroAddress, to: account, amount, kind: "deposit" }
  const outOf = emitter(log, withdrawal, [2])
  if (outOf !== undefined)
    return { eventIndex, contract: outOf, from: account, to: zeroAddress, amount, kind: "withdrawal" }
  return undefined
}

function erc721(log: RawLog): NftTransfer[] {
  const contract = emitter(log, transfer, [4])
  if (contract === undefined) return []
  const from = asAddress(log.topics[1])
  const to = asAddress(log.topics[2])
  const tokenId = asNumber(log.topics[3])
  if (from === undefined || to === undefined || tokenId === undefined) return []
  const kind = kindOf(from, to)
  const { eventIndex } = log
  return [
    {
      ...{ eventIndex, batchIndex: 0, contract, standard: "erc721", operator: null },
      ...{ from, to, tokenId, amount: 1n, kind },
    },
  ]
}

function erc1155Single(log: RawLog): NftTransfer[] {
  const parties = erc1155Parties(log, transferSingle)
  const tokenId = asNumber(dataWord(log, 0))
  const amount = asNumber(dataWord(log, 1))
  if (!parties || tokenId === undefined || amount === undefined) return []
  return [{ ...parties, batchIndex: 0, tokenId, amount }]
}

function erc1155Batch(log: RawLog): NftTransfer[] {
  const parties = erc1155Parties(log, transferBatch)
  if (!parties) return []
  const ids = dataArray(log, 0)
  const amounts = dataArray(log, 1)
  if (ids === undefined || amounts === undefined || ids.length !== amounts.length) return []
  return ids.map((tokenId, batchIndex) => ({
    ...parties,
    ...{ batchIndex, tokenId, amount: amounts[batchIndex]! },
  }))
}

function erc1155Parties(log: RawLog, event: string) {
  const contract = emitter(log, event, [4])
  if (contract === undefined) return undefined
  const operator = asAddress(log.topics[1])
  const from = asAddress(log.topics[2])
  const to = asAddress(log.topics[3])
  if (operator === undefined || from === undefined || to === undefined) return undefined
  const standard = "erc1155" as const
  return { eventIndex: log.eventIndex, contract, standard, operator, from, to, kind: kindOf(from, to) }
}
