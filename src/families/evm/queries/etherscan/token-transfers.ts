// account tokentx, tokennfttx and token1155tx: transfers of an address, of a contract, or of both.

import type { EtherscanAction } from "../../../../queries/etherscan/etherscan-action.js"
import { EtherscanError } from "../../../../queries/etherscan/etherscan-error.js"
import type { EtherscanParams } from "../../../../queries/etherscan/etherscan-params.js"
import { readCovered } from "../../../../queries/etherscan/read-covered.js"
import { readWindow, type WindowedList } from "../../../../queries/etherscan/read-window.js"
import type { Selection } from "../../../../queries/resource.js"
import { bytes, integer, integerOrNull, number, textOrNull } from "../../../../queries/value-schemas.js"
import { eventKey } from "../chain-columns.js"
import { ftTable, nftKey, nftTable } from "../transfer-columns.js"
import { decimal, hex } from "./etherscan-values.js"
import { atOneEpoch, readCompanions } from "./read-companions.js"

interface Row {
  readonly [column: string]: unknown
  readonly height: string
  readonly time: string
  readonly id: Buffer
  readonly index: number
  readonly contract: Buffer
  readonly from_address: Buffer
  readonly to_address: Buffer
  readonly amount: string
  readonly name: string | null
  readonly symbol: string | null
  readonly decimals: number | null
  readonly token_id: string
}

interface TransferKind {
  readonly action: string
  readonly table: string
  readonly list: WindowedList
  readonly where: readonly string[]
  /** What tells the kinds apart. */
  readonly fields: (row: Row) => Record<string, string>
}

const columns = {
  height: number("t.block_height"),
  time: number("extract(epoch from t.timestamp)::int8"),
  id: bytes("t.transaction_id"),
  index: integer("t.transaction_index"),
  contract: bytes("t.contract_address"),
  from_address: bytes("t.from_address"),
  to_address: bytes("t.to_address"),
  amount: number("t.amount"),
  name: textOrNull("m.name"),
  symbol: textOrNull("m.symbol"),
}
const height = "t.block_height"
const nftList: WindowedList = { key: nftKey, height, columns: { ...columns, token_id: number("t.token_id") } }

export const transferKinds: readonly TransferKind[] = [
  {
    action: "tokentx",
    table: ftTable,
    list: { key: eventKey, height, columns: { ...columns, decimals: integerOrNull("m.decimals") } },
    where: [],
    fields: ({ amount, decimals }) => ({ value: amount, tokenDecimal: decimals === null ? "" : String(decimals) }),
  },
  {
    action: "tokennfttx",
    table: nftTable,
    list: nftList,
    where: ["t.standard = 'erc721'"],
    fields: ({ token_id: id }) => ({ tokenID: id, tokenDecimal: "0" }),
  },
  {
    action: "token1155tx",
    table: nftTable,
    list: nftList,
    where: ["t.standard = 'erc1155'"],
    fields: ({ token_id: id, amount }) => ({ tokenID: id, tokenValue: amount }),
  },
]

/** Either side by its own index, or all of a contract. */
export function transferSelection(
  { table, where }: Pick<TransferKind, "table" | "where">,
  { address, contract }: { readonly address: Buffer | undefined; readonly contract: Buffer | undefined },
): Selection {
  if (!address) {
    if (!contract) throw new EtherscanError("Error! Missing address or contract address")
    return { branches: [{ from: table, where: ["t.contract_address = $1", ...where] }], values: [contract] }
  }
  const also = contract ? [...where, "t.contract_address = $2"] : where
  return {
    branches: [
      { from: table, where: ["t.from_address = $1", ...also] },
      { from: table, where: ["t.to_address = $1", "t.from_address <> $1", ...also] },
    ],
    values: contract ? [address, contract] : [address],
  }
}

const filterOf = (params: EtherscanParams) => ({
  address: params.optionalAddress("address"),
  contract: params.optionalAddress("contractaddress"),
})

export const tokenTransfers: readonly EtherscanAction[] = transferKinds.map((kind) => ({
  module: "account",
  action: kind.action,
  answer: (ask) =>
    atOneEpoch(ask.chain, async () => {
      const { chain, params } = ask
      const request = {
        selection: transferSelection(kind, filterOf(params)),
        page: params.page(),
        order: params.isDescending ? ("desc" as const) : ("asc" as const),
      }
      const need = {
        store: "app" as const,
        workers: ["token_worker"],
        from: params.height("startblock"),
        to: params.height("endblock"),
      }
      const { value, scope, completeness } = await readCovered(ask, need, async (covered) => ({
        rows: await readWindow<Row>(covered, kind.list, request),
        head: covered.head,
      }))
      const companion = await readCompanions(chain, { epoch: scope.epoch, places: value.rows })
      const rows = value.rows.map((row) => {
        const { block_hash: blockHash, ...transaction } = companion(row)
        return {
          blockNumber: row.height,
          timeStamp: row.time,
          hash: hex(row.id),
          nonce: decimal(transaction.nonce),
          blockHash: hex(blockHash),
          from: hex(row.from_address),
          contractAddress: hex(row.contract),
          to: hex(row.to_address),
          ...kind.fields(row),
          tokenName: row.name ?? "",
          tokenSymbol: row.symbol ?? "",
          transactionIndex: decimal(row.index),
          gas: decimal(transaction.gas_limit),
          gasPrice: decimal(transaction.gas_price),
          gasUsed: decimal(transaction.gas_used),
          cumulativeGasUsed: decimal(transaction.cumulative_gas_used),
          // As everywhere since Etherscan left it out; clients want the field.
          input: "deprecated",
          methodId: transaction.method_id ? hex(transaction.method_id) : "0x",
          functionName: "",
          confirmations: String(value.head - Number(row.height) + 1),
        }
      })
      return { kind: "list", none: "No transactions found", rows, completeness }
    }),
}))
