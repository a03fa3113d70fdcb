// Lies that fit everything else the node says: counts, gas, order, blooms and links are as they should be. Only who computes
// hashes and roots anew can notice them.

import { logsBloom } from "../../chain/bloom.js"
import { quantity } from "../../chain/hex.js"
import type { SeededRandom } from "../seeded-random.js"
import { type LogFault, logsOf, renumber } from "./log-faults.js"
import type { Block, Log, Receipt, Transaction } from "./rpc-shapes.js"

/** Changes the block in place; false: it has nothing to lie about. */
export type BlockFault = (block: Block, random: SeededRandom) => boolean

const pick = <T>(random: SeededRandom, choices: readonly T[]): T | undefined => choices[random.below(choices.length)]

/** Another last digit: as many bytes as before, and the same but for the last. */
const otherDigit = (hex: string, random: SeededRandom): string =>
  hex.slice(0, -1) + ((Number.parseInt(hex.slice(-1), 16) + 1 + random.below(15)) % 16).toString(16)

const more = (amount: string, random: SeededRandom): string =>
  quantity(BigInt(amount) + 1n + BigInt(random.below(1_000_000)))

/** Changes one of those that fit, if there is any. */
const onOneOf =
  <Item>(
    fitting: (receipts: Receipt[]) => readonly Item[],
    change: (item: Item, random: SeededRandom, receipts: Receipt[]) => void,
  ): LogFault =>
  (receipts, random) => {
    const item = pick(random, fitting(receipts))
    if (item === undefined) return false
    change(item, random, receipts)
    return true
  }

export const hiddenLogFaults = {
  logDataChanged: onOneOf(
    (receipts) => logsOf(receipts).filter(({ data }) => data.length > 2),
    (log, random) => {
      log.data = otherDigit(log.data, random)
    },
  ),
  /** From and to of a transfer change places. */
  topicsSwapped: onOneOf(
    (receipts) => logsOf(receipts).filter(({ topics }) => topics.length > 2 && topics[1] !== topics[2]),
    (log) => {
      log.topics = [log.topics[0]!, log.topics[2]!, log.topics[1]!, ...log.topics.slice(3)]
    },
  ),
  logDoubled: onOneOf(
    (receipts) => receipts.filter(({ logs }) => logs.length > 0),
    ({ logs }, random, receipts) => {
      const at = random.below(logs.length)
      const start = logsOf(receipts)[0]!.logIndex
      logs.splice(at, 0, { ...logs[at]! })
      renumber(receipts, start)
    },
  ),
  logsSwapped: onOneOf(
    (receipts) =>
      receipts.flatMap(({ logs }) =>
        logs.slice(1).flatMap((log, i) => (contentOf(log) === contentOf(logs[i]!) ? [] : [{ logs, at: i }])),
      ),
    ({ logs, at }, _, receipts) => {
      const start = logsOf(receipts)[0]!.logIndex
      logs.splice(at, 2, logs[at + 1]!, logs[at]!)
      renumber(receipts, start)
    },
  ),
  /** The last log of a transaction becomes the first of the next one. */
  logMoved: onOneOf(
    (receipts) => receipts.slice(1).flatMap((_, i) => (receipts[i]!.logs.length > 0 ? [i] : [])),
    (at, _, receipts) => {
      const [from, to] = [receipts[at]!, receipts[at + 1]!]
      const { transactionHash, transactionIndex } = to
      to.logs.unshift({ ...from.logs.pop()!, transactionHash, transactionIndex })
      for (const receipt of [from, to]) receipt.logsBloom = logsBloom(receipt.logs)
    },
  ),
  statusChanged: onOneOf(
    (receipts) => receipts,
    (receipt) => {
      receipt.status = receipt.status === "0x1" ? "0x0" : "0x1"
    },
  ),
  /** Of any but the last, which the header's gas has to fit. */
  cumulativeGasChanged: onOneOf(
    (receipts) => receipts.slice(0, -1),
    (receipt) => {
      receipt.cumulativeGasUsed = quantity(Number(receipt.cumulativeGasUsed) - 1)
    },
  ),
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

const contentOf = ({ address, topics, data }: Log): string => [address, ...topics, data].join()
