// Who holds a token, now or as of a height.

import type { ApiResource, RequestValues, ResourceColumn } from "../../../queries/resource.js"
import {
  addressParam,
  atParam,
  bytes,
  bytesOf,
  integerOrNull,
  jsonRow,
  number,
  textOrNull,
} from "../../../queries/value-schemas.js"
import { holderAt, holdersAt } from "./at-height.js"
import { countedBy } from "./counted-by.js"
import { selectRow } from "./select-row.js"

export const holderCounter = { table: "ft_holder_counts", column: "holders" }

const metadata = "left join app.token_metadata m on m.contract_address = t.contract_address"
const workers = ["token_worker", "ft_holdings_worker"]
const columns: Readonly<Record<string, ResourceColumn>> = {
  address: bytes("t.address"),
  balance: number("t.balance"),
  decimals: integerOrNull("m.decimals"),
  symbol: textOrNull("m.symbol"),
  transfers_in: number("t.transfers_in"),
  transfers_out: number("t.transfers_out"),
}
const contractOf = ({ contract }: RequestValues): Buffer => bytesOf(contract!)

export const holderResources: readonly ApiResource[] = [
  {
    ...{ kind: "list", path: "/tokens/:contract/holders", tag: "tokens", store: "app", order: "desc", workers },
    summary: "Who holds a token, by balance",
    params: { contract: addressParam },
    query: { at: atParam },
    columns,
    key: [
      { column: "t.balance", type: "numeric" },
      { column: "t.address", type: "bytea" },
    ],
    select: async (tx, request) => {
      const { at } = request
      const values = [contractOf(request), ...(at === undefined ? [] : [at])]
      const [from, own] =
        at === undefined ? ["app.ft_holdings t", ["t.contract_address = $1"]] : [await holdersAt(tx, values), []]
      return { branches: [{ from: `${from} ${metadata}`, where: [...own, "t.balance > 0"] }], values }
    },
    needs: ({ at }) => ({
      tables: [holderCounter.table],
      indexes: at === undefined ? [{ table: "ft_holdings", columns: ["contract_address", "balance", "address"] }] : [],
    }),
    total: countedBy(holderCounter),
  },
  {
    ...{ kind: "detail", path: "/tokens/:contract/holders/:address", tag: "tokens", store: "app", workers },
    summary: "What one address has of a token, by its transfers",
    params: { contract: addressParam, address: addressParam },
    query: { at: atParam },
    row: selectRow.schema(columns),
    one: (request) =>
      request["at"] === undefined
        ? {
            columns,
            from: `app.ft_holdings t ${metadata} where t.contract_address = $1 and t.address = $2`,
            values: [contractOf(request), bytesOf(request["address"]!)],
          }
        : undefined,
    read: async (tx, { request }) => {
      const values = [contractOf(request), request["at"], bytesOf(request["address"]!)]
      const from = `${await holderAt(tx, values)} ${metadata}`
      const row = await selectRow(tx, { columns, from, isLast: true }, values)
      return row && { data: jsonRow(row), height: undefined }
    },
  },
]
