// The raw rows in chain order, a piece of heights at a time so that memory does not grow with the chain. Bytes are lowercase hex
// without a prefix, numbers that may be large are bigint, times are microseconds.

import type pg from "pg"

export interface RawLog {
  readonly eventIndex: number
  readonly address: string | null
  /** Those that are there, from the first on. */
  readonly topics: readonly string[]
  readonly data: string | null
}

export interface RawTransaction {
  readonly id: string
  readonly index: number
  readonly type: number | null
  readonly status: number | null
  readonly from: string | null
  readonly to: string | null
  readonly nonce: bigint | null
  readonly value: bigint | null
  readonly gasLimit: bigint | null
  readonly gasUsed: bigint | null
  readonly gasPrice: bigint | null
  readonly maxFeePerGas: bigint | null
  readonly maxPriorityFeePerGas: bigint | null
  readonly effectiveGasPrice: bigint | null
  readonly contractAddress: string | null
  readonly input: string | null
  readonly eventCount: number
  readonly logs: RawLog[]
}

export interface RawBlock {
  readonly height: number
  readonly timestamp: bigint
  readonly baseFeePerGas: bigint | null
  readonly transactions: RawTransaction[]
}

const blocksSql = `select height, extract(epoch from timestamp) * 1000000, base_fee_per_gas
  from raw.blocks where height >= $1 order by height limit $2`

const transactionsSql = `select block_height, id, transaction_index, type, status, from_address, to_address, nonce, value,
    gas_limit, gas_used, gas_price, max_fee_per_gas, max_priority_fee_per_gas, effective_gas_price, contract_address,
    input, event_count
  from raw.transactions where block_height >= $1 and block_height < $2 order by block_height, transaction_index`

const eventsSql = `select block_height, transaction_index, event_index, transaction_id, address,
    topic0, topic1, topic2, topic3, data
  from raw.events where block_height >= $1 and block_height < $2
  order by block_height, transaction_index, event_index`

type Cells = readonly (string | null)[]

const integer = (text: string): bigint => BigInt(text.replace(/\.0*$/, ""))
const big = (text: string | null | undefined): bigint | null =>
  text === null || text === undefined ? null : integer(text)
const small = (text: string | null | undefined): number | null =>
  text === null || text === undefined ? null : Number(text)
const hex = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : text.slice(2)

export async function* readRaw(
  client: pg.Client,
  { blocksPerPiece }: { readonly blocksPerPiece: number },
): AsyncGenerator<RawBlock[]> {
  let from = 0
  for (;;) {
    const blocks = (await select(client, blocksSql, [from, blocksPerPiece])).map(toBlock)
    if (blocks.length === 0) return
    const end = blocks[blocks.length - 1]!.height + 1
    await fill(client, blocks, end)
    yield blocks
    from = end
  }
}

async function fill(client: pg.Client, blocks: readonly RawBlock[], end: number): Promise<void> {
  const heights = [blocks[0]!.height, end]
  const byHeight = new Map(blocks.map((block) => [block.height, block]))
  const transactions = new Map<string, RawTransaction>()
  for (const row of await select(client, transactionsSql, heights)) {
    const transaction = toTransaction(row)
    const block = byHeight.get(Number(row[0]))
    if (!block) throw new Error(`raw.transactions has ${row[0]}/${row[2]}, a block that raw.blocks has not`)
    block.transactions.push(transaction)
    transactions.set(`${row[0]}/${row[2]}`, transaction)
  }
  for (const row of await select(client, eventsSql, heights)) {
    const transaction = transactions.get(`${row[0]}/${row[1]}`)
    if (transaction?.id !== hex(row[3]))
      throw new Error(`raw.events has ${row[0]}/${row[1]}/${row[2]} of a transaction that is not there`)
    transaction.logs.push(toLog(row))
  }
}

const toBlock = (row: Cells): RawBlock => ({
  height: Number(row[0]),
  timestamp: integer(row[1]!),
  baseFeePerGas: big(row[2]),
  transactions: [],
})

const toTransaction = (row: Cells): RawTransaction => ({
  id: hex(row[1])!,
  index: Number(row[2]),
  type: small(row[3]),
  status: small(row[4]),
  from: hex(row[5]),
  to: hex(row[6]),
  nonce: big(row[7]),
  value: big(row[8]),
  gasLimit: big(row[9]),
  gasUsed: big(row[10]),
  gasPrice: big(row[11]),
  maxFeePerGas: big(row[12]),
  maxPriorityFeePerGas: big(row[13]),
  effectiveGasPrice: big(row[14]),
  contractAddress: hex(row[15]),
  input: hex(row[16]),
  eventCount: Number(row[17]),
  logs: [],
})

function toLog(row: Cells): RawLog {
  const topics: string[] = []
  for (const topic of row.slice(5, 9)) {
    if (topic === null || topic === undefined) break
    topics.push(topic.slice(2))
  }
  return { eventIndex: Number(row[2]), address: hex(row[4]), topics, data: hex(row[9]) }
}

// Every value as the server's own text: what it means is decided above, not by the driver.
const asText = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig

async function select(client: pg.Client, text: string, values: readonly number[]): Promise<Cells[]> {
  const result = await client.query<(string | null)[]>({
    text,
    values: [...values],
    rowMode: "array",
    types: asText,
  })
  return result.rows
}
