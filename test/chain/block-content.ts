// Draws what happens in a block: transactions and their logs, before any hash or JSON. Depends on the height, the
// seed of that height and the universe, never on the parent, so every block can be drawn on its own.

import { hex32, SeededRandom } from "../support/seeded-random.js"
import { hugeBlockTransactions, type ResolvedChainOptions, seedAt } from "./chain-options.js"
import { quantity, word } from "./hex.js"
import { approvalTopic, type Contract, type Filterable, swapTopic, transferTopic, type Universe } from "./universe.js"

interface LogContent {
  readonly address: Filterable
  readonly topics: readonly Filterable[]
  readonly data: string
}

export interface TransactionContent {
  /** Random unless the chain has real roots; then the encoder replaces it. */
  readonly hash: string
  readonly from: string
  readonly to: string
  readonly nonce: string
  readonly value: string
  readonly input: string
  readonly gasLimit: string
  readonly gasUsed: number
  readonly r: string
  readonly s: string
  readonly logs: readonly LogContent[]
}

export interface BlockContent {
  readonly baseFeePerGas: number
  readonly miner: string
  readonly stateRoot: string
  readonly mixHash: string
  readonly beaconRoot: string
  /** Stand-ins where the chain has no real roots. */
  readonly transactionsRoot: string
  readonly receiptsRoot: string
  readonly transactions: readonly TransactionContent[]
}

const gasPerTransaction = 65_000
const gasPerLog = 1_000

export function drawBlock(universe: Universe, options: ResolvedChainOptions, height: number): BlockContent {
  const random = new SeededRandom(seedAt(options, height) ^ 0x51ed270b, height, 0x1b873593, 0xcc9e2d51)
  const hash = () => `0x${random.hex(8)}`
  const header = {
    baseFeePerGas: 10_000_000_000 + random.below(5_000_000_000),
    miner: universe.holder(random.below(Math.min(50, universe.holderCount))).address,
    stateRoot: hash(),
    mixHash: hash(),
    beaconRoot: hash(),
    transactionsRoot: hash(),
    receiptsRoot: hash(),
  }
  if (height === 0) return { ...header, transactions: [] }
  const huge = height === options.hugeBlockAt
  const transactionCount = huge ? hugeBlockTransactions : options.transactionsPerBlock
  const spread = Math.floor(options.logsPerBlock / 6)
  const usual = options.logsPerBlock - spread + random.below(2 * spread + 1)
  const logCount = transactionCount === 0 ? 0 : huge ? options.hugeBlockLogs : usual
  // Logs are in the order of their transactions, so their owners are drawn first and sorted.
  const owners = Uint16Array.from({ length: logCount }, () => random.below(transactionCount)).sort()
  const transactions: TransactionContent[] = []
  for (let index = 0, log = 0; index < transactionCount; index++) {
    const logs: LogContent[] = []
    for (; log < logCount && owners[log] === index; log++) logs.push(drawLog(random, universe, options))
    transactions.push(drawTransaction(random, universe, height, logs))
  }
  return { ...header, transactions }
}

function drawTransaction(
  random: SeededRandom,
  universe: Universe,
  height: number,
  logs: readonly LogContent[],
): TransactionContent {
  const called = logs.at(-1)?.address.hex
  const gasUsed = gasPerTransaction + gasPerLog * logs.length
  return {
    hash: `0x${random.hex(8)}`,
    from: drawHolder(random, universe).address,
    to: called ?? drawHolder(random, universe).address,
    nonce: quantity(height),
    value: called === undefined ? quantity(1 + random.uint32() * 4096) : "0x0",
    input:
      called === undefined ? "0x" : `0xa9059cbb${word(drawHolder(random, universe).digits)}${word(random.hex(1))}`,
    gasLimit: quantity(gasUsed + random.below(100_000)),
    gasUsed,
    // Quantities have no leading zero; s lies in the lower half of the curve's order.
    r: `0x${hex32(random.uint32() | 0x10000000)}${random.hex(7)}`,
    s: `0x7${random.hex(8).slice(1)}`,
    logs,
  }
}

// Most activity belongs to few holders, as on real chains.
function drawHolder(random: SeededRandom, universe: Universe) {
  const skewed = random.next() ** 3
  return universe.holder(Math.floor(universe.holderCount * skewed))
}

/** 70% transfers of 20 tokens (skewed), 8% ERC-721, 12% approvals, 5% swaps, 5% transfers of rare tokens. */
function drawLog(random: SeededRandom, universe: Universe, { tokenIds }: ResolvedChainOptions): LogContent {
  const kind = random.next()
  const from = drawHolder(random, universe).topic
  const to = drawHolder(random, universe).topic
  const amount = word(hex32(random.uint32() >>> 1) + random.hex(1))
  const pick = (contracts: readonly Contract[], skew = 1) =>
    contracts[Math.floor(contracts.length * random.next() ** skew)]!.address
  if (kind < 0.7) {
    return { address: pick(universe.tokens, 2), topics: [transferTopic, from, to], data: `0x${amount}` }
  }
  if (kind < 0.78) {
    const id = universe.tokenId(random.below(tokenIds))
    return { address: pick(universe.collections), topics: [transferTopic, from, to, id], data: "0x" }
  }
  if (kind < 0.9) {
    return { address: pick(universe.tokens), topics: [approvalTopic, from, to], data: `0x${amount}` }
  }
  if (kind < 0.95) {
    const data = `0x${word(random.hex(1))}${word("0")}${word("0")}${amount}`
    return { address: pick(universe.pairs), topics: [swapTopic, from, to], data }
  }
  return { address: pick(universe.rareTokens), topics: [transferTopic, from, to], data: `0x${amount}` }
}
