// Blocks, transactions and receipts as the node sent them, from the rows of raw.

import type { QueryResultRow } from "pg"
import type { ServedChain } from "../../../queries/served-chain.js"
import type { EvmBlock, EvmEvent, EvmTransaction } from "../raw/evm-block.js"
import { headerJson, type Json, receiptJson, transactionJson } from "../source/rebuild-json.js"

type Tx = Parameters<Parameters<ServedChain["read"]>[1]>[0]

const bytes = (value: Buffer | null): string | null => (value === null ? null : `0x${value.toString("hex")}`)
const quantity = (value: string | null): string | null => (value === null ? null : `0x${BigInt(value).toString(16)}`)
const textOf = (value: Buffer | null): string | null => (value === null ? null : value.toString())

interface StoredBlock {
  readonly block: EvmBlock
  /** As a quantity: nodes repeat it in transactions. */
  readonly chainId: string
}

const blockSql = `select b.*, extract(epoch from b.timestamp)::int8::text as seconds, s.chain_id
  from raw.blocks b, raw.chain_state s where b.height = $1`

/** Without its transactions and events. */
async function readStoredBlock(tx: Tx, height: number): Promise<StoredBlock | undefined> {
  const { rows } = await tx.query(blockSql, [height])
  const [row] = rows
  return row && { block: blockOf(row), chainId: quantity(row["chain_id"])! }
}

function blockOf(row: QueryResultRow): EvmBlock {
  return {
    height: Number(row["height"]),
    hash: bytes(row["hash"])!,
    parentHash: bytes(row["parent_hash"])!,
    timestampUs: BigInt(row["seconds"]) * 1_000_000n,
    transactionCount: row["transaction_count"],
    eventCount: row["event_count"],
    sourceBytes: 0,
    miner: bytes(row["miner"]),
    gasLimit: quantity(row["gas_limit"]),
    gasUsed: quantity(row["gas_used"]),
    baseFeePerGas: quantity(row["base_fee_per_gas"]),
    stateRoot: bytes(row["state_root"]),
    transactionsRoot: bytes(row["transactions_root"]),
    receiptsRoot: bytes(row["receipts_root"]),
    extra: textOf(row["extra"]),
    transactions: [],
    events: [],
  }
}

function transactionOf(row: QueryResultRow): EvmTransaction {
  return {
    id: bytes(row["id"])!,
    index: row["transaction_index"],
    type: row["type"],
    status: row["status"],
    from: bytes(row["from_address"]),
    to: bytes(row["to_address"]),
    nonce: quantity(row["nonce"]),
    value: quantity(row["value"]),
    gasLimit: quantity(row["gas_limit"]),
    gasUsed: quantity(row["gas_used"]),
    cumulativeGasUsed: quantity(row["cumulative_gas_used"]),
    gasPrice: quantity(row["gas_price"]),
    maxFeePerGas: quantity(row["max_fee_per_gas"]),
    maxPriorityFeePerGas: quantity(row["max_priority_fee_per_gas"]),
    effectiveGasPrice: quantity(row["effective_gas_price"]),
    contractAddress: bytes(row["contract_address"]),
    input: bytes(row["input"]),
    signature: bytes(row["signature"]),
    eventCount: row["event_count"],
    extra: textOf(row["extra"]),
  }
}

const eventOf = (row: QueryResultRow): EvmEvent => ({
  transactionIndex: row["transaction_index"],
  index: row["event_index"],
  transactionId: bytes(row["transaction_id"])!,
  address: bytes(row["address"]),
  topics: [0, 1, 2, 3].map((at) => bytes(row[`topic${at}`])).filter((topic) => topic !== null),
  data: bytes(row["data"]),
  extra: textOf(row["extra"]),
})

async function eventsOf(tx: Tx, height: number, transaction?: number): Promise<EvmEvent[]> {
  const { rows } = await tx.query(
    `select * from raw.events where block_height = $1 and ($2::int4 is null or transaction_index = $2)
     order by transaction_index, event_index`,
    [height, transaction ?? null],
  )
  return rows.map(eventOf)
}

/** Undefined: there is no block of that height. */
export async function readBlockJson(
  tx: Tx,
  { height, isFull }: { readonly height: number; readonly isFull: boolean },
): Promise<Json | undefined> {
  const stored = await readStoredBlock(tx, height)
  if (!stored) return undefined
  const events = await eventsOf(tx, height)
  const header = headerJson({ ...stored.block, events })
  if (!isFull) {
    const { rows } = await tx.query<{ id: Buffer }>(
      "select id from raw.transactions where block_height = $1 order by transaction_index",
      [height],
    )
    return { ...header, transactions: rows.map(({ id }) => bytes(id)) }
  }
  const { rows } = await tx.query(
    "select * from raw.transactions where block_height = $1 order by transaction_index",
    [height],
  )
  const { block, chainId } = stored
  return { ...header, transactions: rows.map((row) => transactionJson(transactionOf(row), block, { chainId })) }
}

const placeSql = "select block_height as height from raw.tx_lookup where id = $1 order by block_height desc limit 1"

export interface StoredTransaction {
  readonly height: number
  readonly transaction: Json
  /** Null where the node gave none. */
  readonly receipt: Json | null
}

/** Undefined: the transaction is not stored. */
export async function readTransactionJson(tx: Tx, hash: Buffer): Promise<StoredTransaction | undefined> {
  const { rows: places } = await tx.query<{ height: string }>(placeSql, [hash])
  if (!places[0]) return undefined
  const height = Number(places[0].height)
  const stored = await readStoredBlock(tx, height)
  const { rows } = await tx.query("select * from raw.transactions where block_height = $1 and id = $2", [height, hash])
  if (!stored || !rows[0]) return undefined
  const row = transactionOf(rows[0])
  const { block, chainId } = stored
  return {
    height,
    transaction: transactionJson(row, block, { chainId }),
    receipt: receiptJson(row, await eventsOf(tx, height, row.index), block),
  }
}
