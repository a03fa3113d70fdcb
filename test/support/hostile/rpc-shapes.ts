// The parts of JSON-RPC traffic that faults read and change. Everything else passes through untouched.

export interface RpcCall {
  readonly id?: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

export interface RpcAnswer {
  jsonrpc?: "2.0"
  id?: unknown
  result?: unknown
  error?: { code: unknown; message: string }
}

export interface Log {
  address: string
  topics: string[]
  data: string
  blockHash: string
  transactionHash: string
  transactionIndex: string
  logIndex: string
}

export interface Receipt {
  blockHash: string
  blockNumber: string
  transactionHash: string
  transactionIndex: string
  to: string | null
  status: string
  cumulativeGasUsed: string
  logs: Log[]
  logsBloom: string
}

export interface Transaction {
  from: string
  to: string | null
  nonce: string
  value: string
  input: string
}

export interface Block {
  number: string
  parentHash: string
  timestamp: string
  miner: string
  gasLimit: string
  baseFeePerGas: string
  stateRoot: string
  transactionsRoot: string
  receiptsRoot: string
  /** Hashes where whole ones were not asked for. */
  transactions: (Transaction | string)[]
}

const blockMethods = ["eth_getBlockByNumber", "eth_getBlockByHash"]

export const isBlockCall = (call: RpcCall): boolean => blockMethods.includes(call.method)

export const blockOf = (call: RpcCall, result: unknown): Block | undefined =>
  isBlockCall(call) && result !== null ? (result as Block) : undefined

/** Of a whole block, or the one receipt of a transaction. */
export function receiptsOf(call: RpcCall, result: unknown): Receipt[] | undefined {
  if (result === null || result === undefined) return undefined
  if (call.method === "eth_getBlockReceipts") return result as Receipt[]
  return call.method === "eth_getTransactionReceipt" ? [result as Receipt] : undefined
}

/** The height a call names as a number; undefined for tags, hashes and other methods. */
export function heightNamedBy(call: RpcCall): number | undefined {
  if (call.method !== "eth_getBlockByNumber" && call.method !== "eth_getBlockReceipts") return undefined
  const named = call.params?.[0]
  return typeof named === "string" && /^0x[0-9a-f]{1,13}$/i.test(named) ? Number(named) : undefined
}
