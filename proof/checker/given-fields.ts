// Which fields of a node's answer the columns give back by themselves, and how they are written then. Everything else has to
// stand in `extra`: see kept-fields.ts.

import { logsBloom } from "../../test/chain/bloom.js"
import type { Json, NodeBlock, NodeTransaction } from "./read-node.js"
import type { Row, Value } from "./table.js"

type Fields = Record<string, unknown>

const quantity = (value: Value | undefined): string => `0x${BigInt(value as bigint).toString(16)}`
const bytes = (value: Value | undefined): string => `0x${value as string}`
const bytesOrNull = (value: Value | undefined): string | null => (value === null ? null : bytes(value))

const bloomOf = (logs: readonly Json[]): string => logsBloom(logs as unknown as Parameters<typeof logsBloom>[0])

/** Field → column, for those that are left out where the column is null. */
function present(row: Row, write: typeof quantity, names: Readonly<Record<string, string>>): Fields {
  const fields: Fields = {}
  for (const [field, column] of Object.entries(names)) if (row[column] !== null) fields[field] = write(row[column])
  return fields
}

export function headerFields({ transactions }: NodeBlock, row: Row): Fields {
  return {
    ...present(row, quantity, { number: "height", gasLimit: "gas_limit", gasUsed: "gas_used" }),
    ...present(row, quantity, { baseFeePerGas: "base_fee_per_gas" }),
    ...present(row, bytes, { hash: "hash", parentHash: "parent_hash", miner: "miner" }),
    ...present(row, bytes, { stateRoot: "state_root", transactionsRoot: "transactions_root" }),
    ...present(row, bytes, { receiptsRoot: "receipts_root" }),
    timestamp: quantity((row["timestamp"] as bigint) / 1_000_000n),
    logsBloom: bloomOf(transactions.flatMap(({ logs }) => logs)),
  }
}

/** What rows of a block's transactions share. */
const placeFields = (row: Row, block: Row): Fields => ({
  blockHash: bytes(block["hash"]),
  blockNumber: quantity(block["height"]),
  transactionIndex: quantity(row["transaction_index"]),
})

export function transactionFields(row: Row, block: Row, chainId: bigint): Fields {
  const type = row["type"] === null ? 0 : Number(row["type"])
  const isTyped = type >= 1 && type <= 4
  const fields: Fields = {
    ...placeFields(row, block),
    ...{ hash: bytes(row["id"]), to: bytesOrNull(row["to_address"]!) },
    ...present(row, bytes, { from: "from_address", input: "input" }),
    ...present(row, quantity, { type: "type", nonce: "nonce", value: "value", gas: "gas_limit" }),
    ...present(row, quantity, { gasPrice: "gas_price", maxFeePerGas: "max_fee_per_gas" }),
    ...present(row, quantity, { maxPriorityFeePerGas: "max_priority_fee_per_gas" }),
  }
  if (isTyped) fields["accessList"] = []
  const signature = row["signature"] as string | null
  const v = signature === null ? undefined : BigInt(`0x${signature.slice(128)}`)
  if (signature !== null) {
    fields["r"] = quantity(BigInt(`0x${signature.slice(0, 64)}`))
    fields["s"] = quantity(BigInt(`0x${signature.slice(64, 128)}`))
    fields["v"] = quantity(v)
    if (isTyped) fields["yParity"] = quantity(v)
  }
  // A legacy signature with v from 35 up is bound to a chain (EIP-155), and nodes name it.
  if (isTyped || (type === 0 && v !== undefined && v >= 35n)) fields["chainId"] = quantity(chainId)
  return fields
}

export const receiptFields = ({ logs }: NodeTransaction, row: Row, block: Row): Fields => ({
  ...placeFields(row, block),
  ...{ transactionHash: bytes(row["id"]), to: bytesOrNull(row["to_address"]!) },
  contractAddress: bytesOrNull(row["contract_address"]!),
  ...present(row, bytes, { from: "from_address" }),
  ...present(row, quantity, { type: "type", status: "status", gasUsed: "gas_used" }),
  ...present(row, quantity, { cumulativeGasUsed: "cumulative_gas_used" }),
  ...present(row, quantity, { effectiveGasPrice: "effective_gas_price" }),
  logsBloom: bloomOf(logs),
})

export const logFields = (log: Json, row: Row, block: Row): Fields => ({
  ...placeFields(row, block),
  ...{
    transactionHash: bytes(row["transaction_id"]),
    logIndex: quantity(row["event_index"]),
    removed: false,
  },
  ...present(row, bytes, { address: "address", data: "data" }),
  topics: (log["topics"] as readonly string[]).map((topic) => topic.toLowerCase()),
})
