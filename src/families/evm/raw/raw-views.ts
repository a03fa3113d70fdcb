// Raw rows as an extract sees them. Each getter decodes its field from the bytes of the COPY; what several extracts
// ask for again and again is kept.

import type { Hex } from "../../../domain/linked-block.js"
import type { BinaryRows } from "../../../postgres/binary-rows.js"
import { EncodedField } from "../../../workers/encoded-field.js"
import type { BlockView, EventField, EventView, TransactionField, TransactionView } from "./block-view.js"
import { blockColumns, eventColumns, transactionColumns } from "./raw-tables.js"

/** The columns of a table without those that no view has. */
const without = <Name extends string, Unread extends Name>(columns: readonly Name[], unread: readonly Unread[]) =>
  columns.filter((name): name is Exclude<Name, Unread> => !(unread as readonly Name[]).includes(name))

export const blockViewColumns = without(blockColumns, ["state_root", "transactions_root", "receipts_root"])
export const transactionViewColumns = without(transactionColumns, [
  "cumulative_gas_used",
  "signature",
  "events_sample",
])

const positions = <Name extends string>(columns: readonly Name[]): Readonly<Record<Name, number>> =>
  Object.fromEntries(columns.map((name, at) => [name, at])) as Record<Name, number>

const blockAt = positions(blockViewColumns)
const transactionAt = positions(transactionViewColumns)
const eventAt = positions(eventColumns)

const makeField = (source: Uint8Array, start: number, end: number): EncodedField =>
  new EncodedField(source, start, end)

export class RawBlockView implements BlockView {
  readonly height: number
  readonly timestampUs: bigint
  readonly transactions: readonly RawTransactionView[]
  readonly events: readonly RawEventView[]

  constructor(
    private readonly rows: BinaryRows,
    private readonly row: number,
    content: { transactions: readonly RawTransactionView[]; events: readonly RawEventView[] },
  ) {
    this.height = rows.int8(row, blockAt.height)!
    this.timestampUs = rows.timestampUs(row, blockAt.timestamp)!
    this.transactions = content.transactions
    this.events = content.events
  }

  get hash(): Hex {
    return this.rows.hex(this.row, blockAt.hash)!
  }
  get parentHash(): Hex {
    return this.rows.hex(this.row, blockAt.parent_hash)!
  }
  get miner(): Hex | null {
    return this.rows.hex(this.row, blockAt.miner)
  }
  get gasLimit(): bigint | null {
    return this.rows.bigint(this.row, blockAt.gas_limit)
  }
  get gasUsed(): bigint | null {
    return this.rows.bigint(this.row, blockAt.gas_used)
  }
  get baseFeePerGas(): bigint | null {
    return this.rows.bigint(this.row, blockAt.base_fee_per_gas)
  }
  get extra(): string | null {
    return this.rows.text(this.row, blockAt.extra)
  }
}

export class RawTransactionView implements TransactionView {
  readonly index: number
  readonly eventCount: number
  readonly events: RawEventView[] = []
  #id: Hex | undefined
  #from: Hex | null | undefined
  #to: Hex | null | undefined
  #input: Hex | null | undefined

  constructor(
    private readonly rows: BinaryRows,
    private readonly row: number,
  ) {
    this.index = rows.int4(row, transactionAt.transaction_index)!
    this.eventCount = rows.int4(row, transactionAt.event_count)!
  }

  get blockHeight(): number {
    return this.rows.int8(this.row, transactionAt.block_height)!
  }
  get id(): Hex {
    this.#id ??= this.rows.hex(this.row, transactionAt.id)!
    return this.#id
  }
  get type(): number | null {
    return this.rows.int2(this.row, transactionAt.type)
  }
  get status(): number | null {
    return this.rows.int2(this.row, transactionAt.status)
  }
  get from(): Hex | null {
    if (this.#from === undefined) this.#from = this.rows.hex(this.row, transactionAt.from_address)
    return this.#from
  }
  get to(): Hex | null {
    if (this.#to === undefined) this.#to = this.rows.hex(this.row, transactionAt.to_address)
    return this.#to
  }
  get nonce(): bigint | null {
    return this.rows.bigint(this.row, transactionAt.nonce)
  }
  get value(): bigint | null {
    return this.rows.bigint(this.row, transactionAt.value)
  }
  get gasLimit(): bigint | null {
    return this.rows.bigint(this.row, transactionAt.gas_limit)
  }
  get gasUsed(): bigint | null {
    return this.rows.bigint(this.row, transactionAt.gas_used)
  }
  get gasPrice(): bigint | null {
    return this.rows.bigint(this.row, transactionAt.gas_price)
  }
  get maxFeePerGas(): bigint | null {
    return this.rows.bigint(this.row, transactionAt.max_fee_per_gas)
  }
  get maxPriorityFeePerGas(): bigint | null {
    return this.rows.bigint(this.row, transactionAt.max_priority_fee_per_gas)
  }
  get effectiveGasPrice(): bigint | null {
    return this.rows.bigint(this.row, transactionAt.effective_gas_price)
  }
  get contractAddress(): Hex | null {
    return this.rows.hex(this.row, transactionAt.contract_address)
  }
  get input(): Hex | null {
    if (this.#input === undefined) this.#input = this.rows.hex(this.row, transactionAt.input)
    return this.#input
  }
  get extra(): string | null {
    return this.rows.text(this.row, transactionAt.extra)
  }
  field(column: TransactionField): EncodedField {
    return this.rows.encoded(this.row, transactionAt[column], makeField)
  }
}

export class RawEventView implements EventView {
  readonly transactionIndex: number
  readonly index: number
  #address: Hex | null | undefined
  #topics: readonly Hex[] | undefined
  #data: Hex | null | undefined

  constructor(
    private readonly rows: BinaryRows,
    private readonly row: number,
  ) {
    this.transactionIndex = rows.int4(row, eventAt.transaction_index)!
    this.index = rows.int4(row, eventAt.event_index)!
  }

  get blockHeight(): number {
    return this.rows.int8(this.row, eventAt.block_height)!
  }
  get transactionId(): Hex {
    return this.rows.hex(this.row, eventAt.transaction_id)!
  }
  get address(): Hex | null {
    if (this.#address === undefined) this.#address = this.rows.hex(this.row, eventAt.address)
    return this.#address
  }
  get topics(): readonly Hex[] {
    if (!this.#topics) {
      const topics: Hex[] = []
      for (let at = eventAt.topic0; at <= eventAt.topic3 && !this.rows.isNull(this.row, at); at++)
        topics.push(this.rows.hex(this.row, at)!)
      this.#topics = topics
    }
    return this.#topics
  }
  get data(): Hex | null {
    if (this.#data === undefined) this.#data = this.rows.hex(this.row, eventAt.data)
    return this.#data
  }
  get extra(): string | null {
    return this.rows.text(this.row, eventAt.extra)
  }
  field(column: EventField): EncodedField {
    return this.rows.encoded(this.row, eventAt[column], makeField)
  }
}
