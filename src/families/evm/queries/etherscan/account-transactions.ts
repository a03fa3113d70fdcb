// account txlist: transactions from and to an address, and the one that created it.

import type { EtherscanAction } from "../../../../queries/etherscan/etherscan-action.js"
import { readCovered } from "../../../../queries/etherscan/read-covered.js"
import { readWindow, type WindowedList } from "../../../../queries/etherscan/read-window.js"
import type { KnownAbis } from "../../../../queries/known-abis.js"
import type { Selection } from "../../../../queries/resource.js"
import { bytesOrNull, integer, integerOrNull, number, numberOrNull } from "../../../../queries/value-schemas.js"
import { layersOf } from "../../decoding/abi-layers.js"
import { functionText } from "../../decoding/decode-call.js"
import { transactionKey } from "../chain-columns.js"
import { decimal, hex, hexOrEmpty } from "./etherscan-values.js"
import { atOneEpoch, type Companion, readCompanions } from "./read-companions.js"
import { readLongValues } from "./read-long-values.js"

interface Row {
  readonly [column: string]: unknown
  readonly height: string
  readonly time: string
  readonly id: Buffer
  readonly index: number
  readonly status: number | null
  readonly from_address: Buffer | null
  readonly to_address: Buffer | null
  readonly contract_address: Buffer | null
  readonly value: string | null
  readonly method_id: Buffer | null
  readonly input: Buffer | null
  readonly is_long: number
}

export const accountTransactionList: WindowedList = {
  key: transactionKey,
  height: "t.block_height",
  columns: {
    height: number("t.block_height"),
    time: number("extract(epoch from t.timestamp)::int8"),
    id: bytesOrNull("t.transaction_id"),
    index: integer("t.transaction_index"),
    status: integerOrNull("t.status"),
    from_address: bytesOrNull("t.from_address"),
    to_address: bytesOrNull("t.to_address"),
    contract_address: bytesOrNull("t.contract_address"),
    value: numberOrNull("t.value"),
    method_id: bytesOrNull("t.method_id"),
    input: bytesOrNull("t.input"),
    is_long: integer("(t.payload_hash is not null)::int4"),
  },
}

/** Each branch by an index of its own; they are disjoint, since a creation is to nobody. */
export const accountTransactionSelection = (address: Buffer): Selection => ({
  branches: [
    { from: "app.evm_transactions t", where: ["t.from_address = $1"] },
    { from: "app.evm_transactions t", where: ["t.to_address = $1", "t.from_address is distinct from $1"] },
    {
      from: `app.contract_deployments d join app.evm_transactions t on t.block_height = d.block_height
        and t.transaction_index = d.transaction_index`,
      where: ["d.address = $1", "d.method = 'transaction'", "t.from_address is distinct from $1"],
    },
  ],
  values: [address],
})

export const accountTransactions: EtherscanAction = {
  module: "account",
  action: "txlist",
  answer: (ask) =>
    atOneEpoch(ask.chain, async () => {
      const { chain, params } = ask
      const address = params.address("address")
      const request = {
        selection: accountTransactionSelection(address),
        page: params.page(),
        order: params.isDescending ? ("desc" as const) : ("asc" as const),
        large: "input",
      }
      const need = {
        store: "app" as const,
        workers: ["evm_worker", "meta_worker"],
        from: params.height("startblock"),
        to: params.height("endblock"),
      }
      const { value, scope, completeness } = await readCovered(ask, need, async (covered) => ({
        rows: await readWindow<Row>(covered, accountTransactionList, request),
        head: covered.head,
      }))
      const { rows, head } = value
      const companion = await readCompanions(chain, { epoch: scope.epoch, places: rows })
      const long = rows.filter(({ is_long: isLong }) => isLong === 1)
      const places = long.map(({ height, index: transaction }) => ({ height, transaction, index: 0 }))
      const inputs = await readLongValues(chain, { of: "inputs", epoch: scope.epoch, places })
      const inputOf = new Map(long.map((row, at) => [row, inputs[at]]))
      const nameOf = await functionNames(chain.abis, rows)
      return {
        kind: "list",
        none: "No transactions found",
        rows: rows.map((row) => ({
          ...transactionOf(row, companion(row), { head, input: inputOf.get(row) ?? row.input }),
          functionName: nameOf(row),
        })),
        completeness,
      }
    }),
}

/** As the first ABI has it, even where it is a guess: the format cannot say which. */
async function functionNames(
  abis: KnownAbis,
  rows: readonly Pick<Row, "to_address" | "method_id">[],
): Promise<(row: Pick<Row, "to_address" | "method_id">) => string> {
  const addressOf = (address: Buffer | null) => (address === null ? null : hex(address))
  const abisOf = await abis.of(rows.map(({ to_address: to }) => addressOf(to)))
  return ({ to_address: to, method_id: id }) =>
    (id === null ? undefined : functionText(hex(id), layersOf(abisOf(addressOf(to))))) ?? ""
}

function transactionOf(row: Row, companion: Companion, { head, input }: { head: number; input: Buffer | null }) {
  const isError = row.status === 0
  return {
    blockNumber: row.height,
    blockHash: hex(companion.block_hash),
    timeStamp: row.time,
    hash: hex(row.id),
    nonce: decimal(companion.nonce),
    transactionIndex: decimal(row.index),
    from: hexOrEmpty(row.from_address),
    to: hexOrEmpty(row.to_address),
    value: decimal(row.value),
    gas: decimal(companion.gas_limit),
    gasPrice: decimal(companion.gas_price),
    input: input === null ? "0x" : hex(input),
    methodId: row.method_id ? hex(row.method_id) : "0x",
    contractAddress: hexOrEmpty(row.contract_address),
    cumulativeGasUsed: decimal(companion.cumulative_gas_used),
    // Empty before Byzantium, when blocks did not say.
    txreceipt_status: row.status === null ? "" : String(row.status),
    gasUsed: decimal(companion.gas_used),
    confirmations: String(head - Number(row.height) + 1),
    isError: isError ? "1" : "0",
  }
}
