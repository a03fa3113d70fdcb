// Plain blocks for tests of extracts: say what matters, the rest is filled in. A field passed on as it is remembers its plain
// value, so that tests can compare rows in plain values (run-extract.ts).

import type { Hex } from "../../src/domain/linked-block.js"
import type { BlockView, EventView, TransactionView } from "../../src/families/evm/raw/block-view.js"
import { CopyBuffer } from "../../src/postgres/copy-buffer.js"
import { EncodedField } from "../../src/workers/encoded-field.js"

export type EventParts = Partial<Pick<EventView, "index" | "address" | "topics" | "data" | "extra">>
export type TransactionParts = Partial<Omit<TransactionView, "events" | "eventCount" | "field">> & {
  readonly events?: readonly EventParts[]
}
export type BlockParts = Partial<Omit<BlockView, "transactions" | "events">> & {
  readonly transactions?: readonly TransactionParts[]
}

type Plain = Hex | number | bigint | null

export class PlainField extends EncodedField {
  readonly plain: Plain

  constructor(plain: Plain) {
    super(encode(plain))
    this.plain = plain
  }
}

/** Text is bytes, a number is int2, a bigint is numeric: those are the kinds of the raw columns. */
function encode(plain: Plain): Uint8Array {
  const buffer = new CopyBuffer(64)
  if (plain === null) buffer.null()
  else if (typeof plain === "number") buffer.int2(plain)
  else if (typeof plain === "bigint") buffer.numericBig(plain)
  else buffer.bytesHex(plain)
  return buffer.take()
}

/** "0x", the digits at the end, zeros before them. */
export const hexOf = (bytes: number, digits: string | number | bigint): Hex =>
  `0x${(typeof digits === "string" ? digits.replace(/^0x/, "") : digits.toString(16)).padStart(2 * bytes, "0")}`

export const address = (digits: string | number | bigint): Hex => hexOf(20, digits)
export const word = (digits: string | number | bigint): Hex => hexOf(32, digits)
/** Words one after the other, as a log's data. */
export const data = (...words: readonly (string | number | bigint)[]): Hex =>
  `0x${words.map((each) => word(each).slice(2)).join("")}`

/** A transaction of a block of its own. */
export const transactionView = (parts: TransactionParts = {}): TransactionView =>
  blockView({ transactions: [parts] }).transactions[0]!

export function blockView(parts: BlockParts = {}): BlockView {
  const { transactions: transactionParts = [], ...fields } = parts
  const height = fields.height ?? 100
  let nextEvent = 0
  const transactions = transactionParts.map((each, position): TransactionView => {
    const { events: eventParts = [], ...own } = each
    const index = own.index ?? position
    const id = own.id ?? hexOf(32, `${height.toString(16)}${index.toString(16).padStart(4, "0")}`)
    const events = eventParts.map((event) => {
      const view = eventView({ index: nextEvent, ...event }, { index, id })
      nextEvent = view.index + 1
      return view
    })
    const plain = {
      type: 2,
      status: 1,
      from: address(0xf00d),
      to: address(0xcafe),
      nonce: 0n,
      value: 0n,
      gasLimit: 21_000n,
      gasUsed: 21_000n,
      gasPrice: 10n,
      maxFeePerGas: null,
      maxPriorityFeePerGas: null,
      effectiveGasPrice: 10n,
      contractAddress: null,
      input: "0x",
      extra: null,
      ...own,
      index,
      id,
      eventCount: events.length,
      events,
    }
    const columns = {
      id,
      type: plain.type,
      status: plain.status,
      from_address: plain.from,
      to_address: plain.to,
      nonce: plain.nonce,
      value: plain.value,
      gas_limit: plain.gasLimit,
      gas_used: plain.gasUsed,
      gas_price: plain.gasPrice,
      max_fee_per_gas: plain.maxFeePerGas,
      max_priority_fee_per_gas: plain.maxPriorityFeePerGas,
      effective_gas_price: plain.effectiveGasPrice,
      contract_address: plain.contractAddress,
      input: plain.input,
    }
    return { ...plain, field: (column) => new PlainField(columns[column]) }
  })
  return {
    height,
    hash: word(`b${height.toString(16).padStart(8, "0")}`),
    parentHash: word(
      `b${Math.max(0, height - 1)
        .toString(16)
        .padStart(8, "0")}`,
    ),
    timestampUs: 1_700_000_000_000_000n + BigInt(height) * 12_000_000n,
    miner: address(0x3141),
    gasLimit: 30_000_000n,
    gasUsed: 21_000n,
    baseFeePerGas: 7n,
    extra: null,
    ...fields,
    transactions,
    events: transactions.flatMap(({ events }) => events),
  }
}

function eventView(
  parts: EventParts & { readonly index: number },
  transaction: { readonly index: number; readonly id: Hex },
): EventView {
  const plain = {
    address: address(0xcafe),
    topics: [],
    data: "0x",
    extra: null,
    ...parts,
    transactionIndex: transaction.index,
    transactionId: transaction.id,
  }
  const topic = (at: number): Hex | null => plain.topics[at] ?? null
  return {
    ...plain,
    field(column) {
      switch (column) {
        case "transaction_id":
          return new PlainField(plain.transactionId)
        case "address":
        case "data":
          return new PlainField(plain[column])
        default:
          return new PlainField(topic(Number(column.at(-1))))
      }
    },
  }
}
