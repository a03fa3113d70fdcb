// Lies that fit everything else the node says: counts, gas, order, blooms and links are as they should be. Only who computes
// hashes and roots anew can notice them.

import { quantity } from "../../chain/hex.js"
import type { SeededRandom } from "../seeded-random.js"
import { bloomOf, type LogFault } from "./log-faults.js"
import type { Block, Log, Receipt, Transaction } from "./rpc-shapes.js"

/** Changes the block in place; false: it has nothing to lie about. */
export type BlockFault = (block: Block, random: SeededRandom) => boolean

const pick = <T>(random: SeededRandom, choices: readonly T[]): T | undefined => choices[random.below(choices.length)]

/** Another last digit: as many bytes as before, and the same but for the last. */
const otherDigit = (hex: string, random: SeededRandom): string =>
  hex.slice(0, -1) + ((Number.parseInt(hex.slice(-1), 16) + 1 + random.below(15)) % 16).toString(16)

const more = (amount: string, random: SeededRandom): string =>
  quantity(BigInt(amount) + 1n + BigInt(random.below(1_000_000)))

export const hiddenLogFaults = {
  logDataChanged: (receipts, random) => {
    const log = pick(
      random,
      logsOf(receipts).filter(({ data }) => data.length > 2),
    )
    if (log === undefined) return false
    log.data = otherDigit(log.data, random)
    return true
  },
  /** From and to of a transfer change places. */
  topicsSwapped: (receipts, random) => {
    const log = pick(
      random,
      logsOf(receipts).filter(({ topics }) => topics.length > 2 && topics[1] !== topics[2]),
    )
    if (log === undefined) return false
    log.topics = [log.topics[0]!, log.topics[2]!, log.topics[1]!, ...log.topics.slice(3)]
    return true
  },
  logDoubled: (receipts, random) => {
    const receipt = pick(
      random,
      receipts.filter(({ logs }) => logs.length > 0),
    )
    if (receipt === undefined) return false
    const at = random.below(receipt.logs.length)
    const start = logsOf(receipts)[0]!.logIndex
    receipt.logs.splice(at, 0, { ...receipt.logs[at]! })
    renumber(receipts, start)
    return true
  },
  logsSwapped: (receipts, random) => {
    const places = receipts.flatMap(({ logs }) =>
      logs.slice(1).flatMap((log, i) => (contentOf(log) === contentOf(logs[i]!) ? [] : [{ logs, at: i }])),
    )
    const place = pick(random, places)
    if (place === undefined) return false
    const { logs, at } = place
    const start = logsOf(receipts)[0]!.logIndex
    logs.splice(at, 2, logs[at + 1]!, logs[at]!)
    renumber(receipts, start)
    return true
  },
  /** The last log of a transaction becomes the first of the next one. */
  logMoved: (receipts, random) => {
    const at = pick(
      random,
      receipts.slice(1).flatMap((_, i) => (receipts[i]!.logs.length > 0 ? [i] : [])),
    )
    if (at === undefined) return false
    const [from, to] = [receipts[at]!, receipts[at + 1]!]
    const { transactionHash, transactionIndex } = to
    to.logs.unshift({ ...from.logs.pop()!, transactionHash, transactionIndex })
    for (const receipt of [from, to]) receipt.logsBloom = bloomOf(receipt.logs)
    return true
  },
  statusChanged: (receipts, random) => {
    const receipt = pick(random, receipts)
    if (receipt === undefined) return false
    receipt.status = receipt.status === "0x1" ? "0x0" : "0x1"
    return true
  },
  /** Of any but the last, which the header's gas has to fit. */
  cumulativeGasChanged: (receipts, random) => {
    const receipt = pick(random, receipts.slice(0, -1))
    if (receipt === undefined) return false
    receipt.cumulativeGasUsed = quantity(Number(receipt.cumulativeGasUsed) - 1)
    return true
  },
} satisfies Record<string, LogFault>

const onTransaction =
  (change: (transaction: Transaction, random: SeededRandom) => void): BlockFault =>
  ({ transactions }, random) => {
    const transaction = pick(random, transactions)
    if (typeof transaction !== "object") return false
    change(transaction, random)
    return true
  }

/** Of whole blocks: where only the head is asked for, nothing of it is stored. */
const onHeader =
  (change: (block: Block, random: SeededRandom) => void): BlockFault =>
  (block, random) => {
    if (typeof block.transactions[0] !== "object") return false
    change(block, random)
    return true
  }

const hash = (random: SeededRandom): string => `0x${random.hex(8)}`

export const hiddenBlockFaults = {
  valueChanged: onTransaction((transaction, random) => {
    transaction.value = more(transaction.value, random)
  }),
  inputChanged: onTransaction((transaction, random) => {
    const { input } = transaction
    transaction.input = input === "0x" ? `0x${random.hex(1)}` : otherDigit(input, random)
  }),
  nonceChanged: onTransaction((transaction, random) => {
    transaction.nonce = more(transaction.nonce, random)
  }),
  timestampChanged: onHeader((block, random) => {
    block.timestamp = more(block.timestamp, random)
  }),
  stateRootChanged: onHeader((block, random) => {
    block.stateRoot = hash(random)
  }),
  headerFieldChanged: onHeader((block, random) => {
    const name = pick(random, ["miner", "gasLimit", "baseFeePerGas", "transactionsRoot", "receiptsRoot"] as const)!
    if (name === "miner") block.miner = `0x${random.hex(5)}`
    else if (name === "gasLimit" || name === "baseFeePerGas") block[name] = more(block[name], random)
    else block[name] = hash(random)
  }),
} satisfies Record<string, BlockFault>

/** In the block and in its receipts: one of them alone would not fit the other. */
export function changeRecipient(block: Block, receipts: readonly Receipt[], random: SeededRandom): boolean {
  const at = random.below(block.transactions.length)
  const transaction = block.transactions[at]
  const receipt = receipts[at]
  if (typeof transaction !== "object" || receipt === undefined) return false
  transaction.to = `0x${random.hex(5)}`
  receipt.to = transaction.to
  return true
}

const logsOf = (receipts: readonly Receipt[]): Log[] => receipts.flatMap(({ logs }) => logs)

const contentOf = ({ address, topics, data }: Log): string => [address, ...topics, data].join()

function renumber(receipts: readonly Receipt[], start: string): void {
  logsOf(receipts).forEach((log, i) => {
    log.logIndex = quantity(Number(start) + i)
  })
}
