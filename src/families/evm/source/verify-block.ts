// Checks that a block and its receipts are consistent. Each check can be turned off, since some real chains serve
// wrong blooms or receipts, except those of the fields that identify a block. Returns the first failure and never
// throws.

import type { FetchedBlock, LogJson, ReceiptJson, TransactionJson } from "./block-json.js"
import type { BloomReport } from "./bloom.js"
import { isFixedHex, quantityText, quantityValue, sameHex, sameQuantity } from "./hex-text.js"

export interface CheckSwitches {
  /** parentHash is the hash of the block before. */
  readonly parent: boolean
  /** As many receipts as transactions, numbered 0 to n-1, and transactions unless the root is that of none. */
  readonly counts: boolean
  /** Receipts and logs belong to their transaction and this block. */
  readonly receipts: boolean
  /** Cumulative gas never falls and ends at the header's gasUsed. Some L2s count otherwise: turn it off there. */
  readonly gas: boolean
  /** Log indexes count up from 0 without a gap. */
  readonly logOrder: boolean
  /** Blooms are those of the logs. */
  readonly bloom: boolean
}

export const allChecks: CheckSwitches = {
  parent: true,
  counts: true,
  receipts: true,
  gas: true,
  logOrder: true,
  bloom: true,
}

type BlockCheck = keyof CheckSwitches | "shape" | "roots"

export interface CheckFailure {
  readonly check: BlockCheck
  readonly what: string
  readonly expected: string
  readonly got: string
  /** The transaction whose fields or receipt are wrong; absent when the block as a whole is. */
  readonly transaction?: number
}

export const emptyTrieRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
const zeroHash = `0x${"0".repeat(64)}`
/** The last second that a timestamptz can hold. */
const maxTimestampSeconds = 9_224_318_015_999

const short = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")
  return text.length > 80 ? `${text.slice(0, 36)}…${text.slice(-36)}` : text
}

const failure = (
  check: BlockCheck,
  what: string,
  expected: unknown,
  got: unknown,
  transaction?: number,
): CheckFailure => ({
  check,
  what,
  expected: short(expected),
  got: short(got),
  ...(transaction === undefined ? {} : { transaction }),
})

export function verifyBlock(
  fetched: FetchedBlock,
  blooms: BloomReport,
  checks: CheckSwitches,
): CheckFailure | undefined {
  return (
    checkShape(fetched, blooms) ??
    (checks.counts ? checkCounts(fetched) : undefined) ??
    (checks.receipts ? checkReceipts(fetched) : undefined) ??
    (checks.gas ? checkGas(fetched) : undefined) ??
    (checks.logOrder ? checkLogOrder(fetched.receipts) : undefined) ??
    (checks.bloom ? checkBlooms(fetched, blooms) : undefined) ??
    checkStorable(fetched)
  )
}

/** Required of every block, whatever is turned off: it is stored under these fields. */
function checkShape({ block, receipts, height }: FetchedBlock, blooms: BloomReport): CheckFailure | undefined {
  if (quantityValue(block.number) !== height) return failure("shape", "number", quantityText(height), block.number)
  if (!isHash(block.hash)) return failure("shape", "hash", "32 bytes", block.hash)
  if (!isHash(block.parentHash)) return failure("shape", "parentHash", "32 bytes", block.parentHash)
  if (!(quantityValue(block.timestamp) <= maxTimestampSeconds)) {
    return failure("shape", "timestamp", "seconds before the year 294276", block.timestamp)
  }
  const { transactions } = block
  for (let i = 0; i < transactions.length; i++) {
    const transaction: TransactionJson | undefined = transactions[i]
    if (typeof transaction !== "object" || transaction === null) {
      return failure("shape", `transaction ${i}`, "an object", transaction)
    }
    if (!isHash(transaction.hash)) return failure("shape", `hash of transaction ${i}`, "32 bytes", transaction.hash, i)
  }
  if (blooms.malformed !== undefined) return failure("shape", "logs", "well-formed logs", blooms.malformed)
  for (let i = 0; i < receipts.length; i++) {
    const { logs } = receipts[i]!
    for (let k = 0; k < logs.length; k++) {
      const log = logs[k]!
      if (!(quantityValue(log.logIndex) <= 0x7fffffff)) {
        return failure("shape", `logIndex of log ${k} of receipt ${i}`, "a quantity", log.logIndex, i)
      }
    }
  }
  return undefined
}

/** With that check off, fewer receipts than transactions can be stored. More have no row to go to. */
function checkStorable({ block, receipts }: FetchedBlock): CheckFailure | undefined {
  if (receipts.length <= block.transactions.length) return undefined
  return failure("shape", "number of receipts", `at most ${block.transactions.length}`, receipts.length)
}

const isHash = (value: unknown): boolean =>
  isFixedHex(value, 32) || (typeof value === "string" && isFixedHex(value.toLowerCase(), 32))

function checkCounts({ block, receipts }: FetchedBlock): CheckFailure | undefined {
  const { transactions } = block
  if (receipts.length !== transactions.length) {
    return failure("counts", "number of receipts", transactions.length, receipts.length)
  }
  for (let i = 0; i < transactions.length; i++) {
    if (!sameQuantity(transactions[i]!.transactionIndex, i)) {
      const got = transactions[i]!.transactionIndex
      return failure("counts", `transactionIndex of transaction ${i}`, quantityText(i), got, i)
    }
  }
  const saysEmpty = sameHex(block.transactionsRoot, emptyTrieRoot)
  // Chains that keep no such root send zeros, or nothing.
  const saysAnything = typeof block.transactionsRoot === "string" && block.transactionsRoot !== zeroHash
  if (saysAnything && saysEmpty !== (transactions.length === 0)) {
    const expected = saysEmpty ? "none, by the transactionsRoot" : "some, by the transactionsRoot"
    return failure("counts", "transactions", expected, transactions.length)
  }
  return undefined
}

function checkReceipts({ block, receipts, height }: FetchedBlock): CheckFailure | undefined {
  const { transactions, hash } = block
  const wrong = (i: number, field: string, expected: unknown, got: unknown) =>
    failure("receipts", `${field} of receipt ${i}`, expected, got, i)
  for (let i = 0; i < receipts.length; i++) {
    const receipt = receipts[i]!
    const transaction: TransactionJson = transactions[i] ?? {}
    if (!sameHex(receipt.transactionHash, transaction.hash)) {
      return wrong(i, "transactionHash", transaction.hash, receipt.transactionHash)
    }
    if (!sameQuantity(receipt.transactionIndex, i)) {
      return wrong(i, "transactionIndex", quantityText(i), receipt.transactionIndex)
    }
    if (!sameHex(receipt.blockHash, hash)) return wrong(i, "blockHash", hash, receipt.blockHash)
    if (!sameHex(transaction.blockHash, hash)) {
      return failure("receipts", `blockHash of transaction ${i}`, hash, transaction.blockHash, i)
    }
    if (receipt.blockNumber !== block.number && !sameQuantity(receipt.blockNumber, height)) {
      return wrong(i, "blockNumber", block.number, receipt.blockNumber)
    }
    // Some nodes leave from and to out of receipts.
    if (receipt.from !== undefined && !sameHex(receipt.from, transaction.from)) {
      return wrong(i, "from", transaction.from, receipt.from)
    }
    if (receipt.to !== undefined && !sameHex(receipt.to ?? null, transaction.to ?? null)) {
      return wrong(i, "to", transaction.to, receipt.to)
    }
    const { logs } = receipt
    for (let k = 0; k < logs.length; k++) {
      const failed = checkLog(logs[k]!, transaction, i, hash)
      if (failed !== undefined) return failed
    }
  }
  return undefined
}

function checkLog(log: LogJson, transaction: TransactionJson, i: number, hash: unknown): CheckFailure | undefined {
  const wrong = (field: string, expected: unknown, got: unknown) =>
    failure("receipts", `${field} of a log of receipt ${i}`, expected, got, i)
  if (!sameHex(log.blockHash, hash)) return wrong("blockHash", hash, log.blockHash)
  if (!sameHex(log.transactionHash, transaction.hash)) {
    return wrong("transactionHash", transaction.hash, log.transactionHash)
  }
  if (!sameQuantity(log.transactionIndex, i)) return wrong("transactionIndex", quantityText(i), log.transactionIndex)
  if (log.removed === true) return wrong("removed", false, true)
  return undefined
}

function checkGas({ block, receipts }: FetchedBlock): CheckFailure | undefined {
  let last = 0
  for (let i = 0; i < receipts.length; i++) {
    const cumulative = quantityValue(receipts[i]!.cumulativeGasUsed)
    if (!(cumulative >= last)) {
      const got = receipts[i]!.cumulativeGasUsed
      return failure("gas", `cumulativeGasUsed of receipt ${i}`, `at least ${quantityText(last)}`, got, i)
    }
    last = cumulative
  }
  if (quantityValue(block.gasUsed) !== last) {
    return failure("gas", "gasUsed, as the last receipt's cumulativeGasUsed", quantityText(last), block.gasUsed)
  }
  return undefined
}

function checkLogOrder(receipts: readonly ReceiptJson[]): CheckFailure | undefined {
  let next = 0
  for (let i = 0; i < receipts.length; i++) {
    const { logs } = receipts[i]!
    for (let k = 0; k < logs.length; k++) {
      if (!sameQuantity(logs[k]!.logIndex, next)) {
        const got = logs[k]!.logIndex
        return failure("logOrder", `logIndex of log ${k} of receipt ${i}`, quantityText(next), got, i)
      }
      next++
    }
  }
  return undefined
}

function checkBlooms({ block, receipts }: FetchedBlock, blooms: BloomReport): CheckFailure | undefined {
  if (blooms.firstWrong >= 0) {
    const got = receipts[blooms.firstWrong]!.logsBloom
    return failure(
      "bloom",
      `logsBloom of receipt ${blooms.firstWrong}`,
      "the bloom of its logs",
      got,
      blooms.firstWrong,
    )
  }
  if (!sameHex(block.logsBloom, blooms.header)) {
    return failure("bloom", "logsBloom of the header", blooms.header, block.logsBloom)
  }
  return undefined
}
