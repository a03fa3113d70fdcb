// The JSON of a block, its transactions, receipts and logs as nodes send them. Every field is unknown until it is
// checked: no node is trusted to follow the format.

export interface BlockJson {
  readonly number?: unknown
  readonly hash?: unknown
  readonly parentHash?: unknown
  readonly timestamp?: unknown
  readonly miner?: unknown
  readonly gasLimit?: unknown
  readonly gasUsed?: unknown
  readonly baseFeePerGas?: unknown
  readonly stateRoot?: unknown
  readonly transactionsRoot?: unknown
  readonly receiptsRoot?: unknown
  readonly logsBloom?: unknown
  readonly withdrawals?: unknown
  readonly withdrawalsRoot?: unknown
  readonly transactions: readonly TransactionJson[]
}

export interface TransactionJson {
  readonly blockHash?: unknown
  readonly blockNumber?: unknown
  readonly transactionIndex?: unknown
  readonly hash?: unknown
  readonly type?: unknown
  readonly from?: unknown
  readonly to?: unknown
  readonly nonce?: unknown
  readonly value?: unknown
  readonly gas?: unknown
  readonly gasPrice?: unknown
  readonly maxFeePerGas?: unknown
  readonly maxPriorityFeePerGas?: unknown
  readonly input?: unknown
  readonly accessList?: unknown
  readonly chainId?: unknown
  readonly v?: unknown
  readonly r?: unknown
  readonly s?: unknown
  readonly yParity?: unknown
}

export interface ReceiptJson {
  readonly blockHash?: unknown
  readonly blockNumber?: unknown
  readonly transactionHash?: unknown
  readonly transactionIndex?: unknown
  readonly type?: unknown
  readonly status?: unknown
  readonly root?: unknown
  readonly from?: unknown
  readonly to?: unknown
  readonly contractAddress?: unknown
  readonly gasUsed?: unknown
  readonly cumulativeGasUsed?: unknown
  readonly effectiveGasPrice?: unknown
  readonly logsBloom?: unknown
  readonly logs: readonly LogJson[]
}

export interface LogJson {
  readonly address: string
  readonly topics: readonly string[]
  readonly data?: unknown
  readonly blockHash?: unknown
  readonly blockNumber?: unknown
  readonly blockTimestamp?: unknown
  readonly transactionHash?: unknown
  readonly transactionIndex?: unknown
  readonly logIndex?: unknown
  readonly removed?: unknown
}

/** A block and its receipts as parsed from a reply. */
export interface FetchedBlock {
  readonly height: number
  readonly block: BlockJson
  readonly receipts: readonly ReceiptJson[]
  readonly bytes: number
  readonly provider: string
  /** The same block parsed with ExactNumber for numbers that a double cannot hold. Slow. */
  readonly exact: () => Pick<FetchedBlock, "block" | "receipts">
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
