// Tokens and collections, their transfers, holders and items; contracts; sums by day.

import type { TProperties } from "typebox"
import type {
  ApiResource,
  KeyColumn,
  ListResource,
  ListSort,
  RequestValues,
  ResourceColumn,
} from "../../../queries/resource.js"
import {
  addressParam,
  amountParam,
  atParam,
  bytes,
  bytesOf,
  bytesOrNull,
  integerOrNull,
  jsonRow,
  number,
  numberOrNull,
  text,
  textOrNull,
} from "../../../queries/value-schemas.js"
import { contractColumns } from "./account-resources.js"
import { itemAt } from "./at-height.js"
import { eventKey } from "./chain-columns.js"
import { countedBy } from "./counted-by.js"
import { holderCounter, holderResources } from "./holder-resources.js"
import { selectRow } from "./select-row.js"
import { ftColumns, ftTable, nftColumns, nftKey, nftTable } from "./transfer-columns.js"

const itemCounter = { table: "nft_item_counts", column: "items" }
const tokenCounter = { table: "nft_token_counts", column: "tokens" }

const contract: TProperties = { contract: addressParam }
const metadata = "left join app.token_metadata m on m.contract_address = t.contract_address"
const contractOf = ({ contract: hex }: RequestValues): Buffer => bytesOf(hex!)

const sums: Readonly<Record<string, ResourceColumn>> = {
  contract_address: bytes("t.contract_address"),
  name: textOrNull("m.name"),
  symbol: textOrNull("m.symbol"),
  transfer_count: number("t.transfer_count"),
  minted: number("t.minted"),
  burned: number("t.burned"),
  first_block_height: numberOrNull("t.first_block_height"),
  last_block_height: numberOrNull("t.last_block_height"),
}
const tokenColumns = {
  ...sums,
  decimals: integerOrNull("m.decimals"),
  holder_count: number("coalesce(n.holders, 0)"),
}
const collectionColumns = {
  ...sums,
  item_count: number("coalesce(n.items, 0)"),
  erc721_transfers: number("t.erc721_transfers"),
  erc1155_transfers: number("t.erc1155_transfers"),
}

interface TokenKind {
  readonly path: "/tokens" | "/collections"
  readonly what: string
  readonly table: "ft_tokens" | "nft_collections"
  readonly columns: ListResource["columns"]
  readonly workers: readonly string[]
  /** A count that is kept for each of them. */
  readonly counter: { readonly table: string; readonly column: string }
  readonly transfers: Pick<ListResource, "columns" | "key"> & { readonly from: string }
}

const sortKey = (...columns: readonly KeyColumn[]): ListSort => ({
  key: [...columns, { column: "t.contract_address", type: "bytea" }],
  order: "desc",
})

const resourcesOf = ({ path, what, table, columns, workers, counter, transfers }: TokenKind): ApiResource[] => [
  {
    ...{ kind: "list", path, tag: path.slice(1), store: "app", workers },
    summary: `${what}s by address, or by \`sort\`: \`${counter.column}\`, \`transfers\``,
    columns,
    ...sortKey(),
    order: "asc",
    sorts: {
      [counter.column]: {
        key: [
          { column: `n.${counter.column}`, type: "int8" },
          { column: "n.contract_address", type: "bytea" },
        ],
        order: "desc",
      },
      transfers: sortKey({ column: "t.transfer_count", type: "int8" }),
    },
    needs: ({ sort }) => ({
      tables: [counter.table],
      indexes: sort === "transfers" ? [{ table, columns: ["transfer_count", "contract_address"] }] : [],
    }),
    select: async (_tx, { sort }) => {
      // By the counter those that were never counted are left out: nobody ever had one.
      const join = sort === counter.column ? "join" : "left join"
      const from = `app.${table} t ${join} app.${counter.table} n on n.contract_address = t.contract_address`
      return { branches: [{ from: `${from} ${metadata}`, where: [] }], values: [] }
    },
  },
  {
    ...{ kind: "detail", path: `${path}/:contract`, tag: path.slice(1), store: "app", workers },
    summary: `One ${what.toLowerCase()}, with its name and the sums of its transfers`,
    params: contract,
    row: selectRow.schema(columns),
    needs: () => ({ tables: [counter.table] }),
    one: (request) => ({
      columns,
      from: `app.${table} t left join app.${counter.table} n on n.contract_address = t.contract_address
        ${metadata} where t.contract_address = $1`,
      values: [contractOf(request)],
    }),
  },
  {
    ...{ kind: "list", path: `${path}/:contract/transfers`, tag: path.slice(1), store: "app" },
    summary: `The transfers of one ${what.toLowerCase()}`,
    workers: ["token_worker"],
    params: contract,
    columns: transfers.columns,
    key: transfers.key,
    height: "t.block_height",
    order: "desc",
    select: async (_tx, request) => ({
      branches: [{ from: transfers.from, where: ["t.contract_address = $1"] }],
      values: [contractOf(request)],
    }),
    total: countedBy({ table, column: "transfer_count" }),
  },
]

export const tokenResources: readonly ApiResource[] = [
  ...resourcesOf({
    ...{ path: "/tokens", what: "Token", table: "ft_tokens", columns: tokenColumns },
    workers: ["token_worker", "ft_holdings_worker"],
    counter: holderCounter,
    transfers: { columns: ftColumns, key: eventKey, from: ftTable },
  }),
  ...holderResources,
  ...resourcesOf({
    ...{ path: "/collections", what: "Collection", table: "nft_collections", columns: collectionColumns },
    workers: ["token_worker", "nft_ownership_worker"],
    counter: itemCounter,
    transfers: { columns: nftColumns, key: nftKey, from: nftTable },
  }),
  {
    ...{ kind: "list", path: "/collections/:contract/items", tag: "collections", store: "app", order: "asc" },
    summary: "The ERC-721 items of a collection with their owners, burned ones too",
    workers: ["token_worker", "nft_ownership_worker"],
    params: contract,
    columns: itemColumns(),
    key: [{ column: "t.token_id", type: "numeric" }],
    select: async (_tx, request) => ({
      branches: [{ from: "app.nft_ownership t", where: ["t.contract_address = $1"] }],
      values: [contractOf(request)],
    }),
    needs: () => ({ tables: [tokenCounter.table] }),
    total: countedBy(tokenCounter),
  },
  {
    ...{ kind: "detail", path: "/collections/:contract/items/:item", tag: "collections", store: "app" },
    summary: "One ERC-721 item with its owner",
    workers: ["token_worker", "nft_ownership_worker"],
    params: { ...contract, item: amountParam },
    query: { at: atParam },
    row: selectRow.schema(itemColumns()),
    one: (request) =>
      request["at"] === undefined
        ? {
            columns: itemColumns(),
            from: "app.nft_ownership t where t.contract_address = $1 and t.token_id = $2::numeric",
            values: [contractOf(request), request["item"]],
          }
        : undefined,
    read: async (tx, { request }) => {
      const values = [contractOf(request), request["item"], request["at"]]
      const row = await selectRow(tx, { columns: itemColumns(), from: await itemAt(tx, values), isLast: true }, values)
      return row && { data: jsonRow(row), height: undefined }
    },
  },
  {
    ...{ kind: "detail", path: "/contracts/:address", tag: "contracts", store: "app", workers: ["meta_worker"] },
    summary: "One contract: who deployed it, and its code's hash",
    params: { address: addressParam },
    row: selectRow.schema(contractColumns),
    one: ({ address }) => ({
      columns: contractColumns,
      from: `app.smart_contracts t left join app.contract_code_hashes c on c.address = t.address
        where t.address = $1`,
      values: [bytesOf(address!)],
    }),
  },
  {
    ...{ kind: "list", path: "/stats/daily", tag: "stats", store: "app", order: "desc" },
    summary: "What happened on each UTC day",
    workers: ["tx_metrics_worker", "token_worker", "meta_worker", "stats_worker"],
    columns: {
      day: text("t.day::text"),
      ...Object.fromEntries(
        "transactions failed gas_used fees burnt events ft_transfers nft_transfers deployments"
          .split(" ")
          .map((name) => [name, number(`t.${name}`)]),
      ),
    },
    key: [{ column: "t.day", type: "date" }],
    select: async () => ({ branches: [{ from: "app.daily_stats t", where: [] }], values: [] }),
  },
]

function itemColumns(): Readonly<Record<string, ResourceColumn>> {
  return {
    token_id: number("t.token_id"),
    owner: bytesOrNull("t.owner"),
    transfer_count: number("t.transfer_count"),
    first_block_height: numberOrNull("t.first_block_height"),
    last_block_height: numberOrNull("t.last_block_height"),
  }
}
