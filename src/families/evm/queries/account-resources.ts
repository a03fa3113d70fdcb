// An account, and what belongs to it: transactions, transfers, holdings, NFTs and events.

import type { TProperties } from "typebox"
import type { Queryable } from "../../../postgres/transaction.js"
import type { ApiResource, Branch, ListResource, ResourceColumn, Selection } from "../../../queries/resource.js"
import {
  addressParam,
  atParam,
  bytes,
  bytesOf,
  bytesOrNull,
  integerOrNull,
  number,
  numberOrNull,
  text,
  textOrNull,
} from "../../../queries/value-schemas.js"
import { holdingsAt, nftsAt } from "./at-height.js"
import { eventKey, transactionKey } from "./chain-columns.js"
import { eventExtension } from "./decoded-rows.js"
import { eventColumns } from "./event-resources.js"
import { selectRow } from "./select-row.js"
import { transactionColumns } from "./transaction-columns.js"
import { ftColumns, ftTable, nftColumns, nftKey, nftTable } from "./transfer-columns.js"

const address: TProperties = { address: addressParam }

const accountColumns: Readonly<Record<string, ResourceColumn>> = {
  address: bytes("t.address"),
  label: textOrNull("(select label from app.address_labels l where l.address = t.address)"),
  transaction_count: number("t.transaction_count"),
  transactions_sent: number("t.transactions_sent"),
  value_sent: number("t.value_sent"),
  value_received: number("t.value_received"),
  fees_paid: number("t.fees_paid"),
  deployments: number("t.deployments"),
  first_block_height: numberOrNull("t.first_block_height"),
  last_block_height: numberOrNull("t.last_block_height"),
}

type AccountList = Pick<
  ListResource,
  "columns" | "key" | "workers" | "summary" | "joinedHeight" | "needs" | "total" | "extension"
> &
  Partial<Pick<ListResource, "query" | "select">> & {
    readonly name: string
    readonly branches: readonly Branch[]
    readonly isState?: boolean
  }

const listOf = ({ name, branches, isState = false, ...list }: AccountList): ListResource => ({
  ...{ kind: "list", path: `/accounts/:address/${name}`, tag: "accounts", store: "app", params: address },
  ...(isState ? {} : { height: "t.block_height" }),
  order: isState ? "asc" : "desc",
  select: async (_tx: Queryable, request): Promise<Selection> => ({
    branches,
    values: [bytesOf(request["address"]!)],
  }),
  ...list,
})

/** Either side, each found by its own index; a transfer to oneself is of the first. */
const eitherSide = (from: string): Branch[] => [
  { from, where: ["t.from_address = $1"] },
  { from, where: ["t.to_address = $1", "t.from_address <> $1"] },
]

const heldNow: readonly Branch[] = [
  {
    from: "app.ft_holdings t left join app.token_metadata m on m.contract_address = t.contract_address",
    where: ["t.address = $1"],
  },
]

const owned = `(select contract_address, token_id, 'erc721' as standard, 1::numeric as balance
    from app.nft_ownership where owner = $1) t
  left join app.token_metadata m on m.contract_address = t.contract_address`
const held = `(select contract_address, token_id, 'erc1155' as standard, balance
    from app.nft_balances where address = $1 and balance <> 0) t
  left join app.token_metadata m on m.contract_address = t.contract_address`

const ownedNow: readonly Branch[] = [
  { from: owned, where: [] },
  { from: held, where: [] },
]
const indexesOfOwned = [
  { table: "nft_ownership", columns: ["owner", "contract_address", "token_id"] },
  { table: "nft_balances", columns: ["address", "contract_address", "token_id"] },
]

export const accountResources: readonly ApiResource[] = [
  {
    ...{ kind: "detail", path: "/accounts/:address", tag: "accounts", summary: "One account", store: "app" },
    workers: ["accounts_worker"],
    params: address,
    row: selectRow.schema(accountColumns),
    one: ({ address }) => ({
      ...{ columns: accountColumns, from: "app.accounts t where t.address = $1", values: [bytesOf(address!)] },
    }),
    needs: () => ({ tables: ["address_labels"] }),
  },
  listOf({
    name: "transactions",
    summary: "Transactions that an account took part in, in any role",
    workers: ["evm_worker", "meta_worker"],
    columns: transactionColumns,
    key: transactionKey.map(({ column, type }) => ({ column: column.replace("t.", "a."), type })),
    joinedHeight: "a.block_height",
    branches: [
      {
        from: `app.address_transactions a join app.evm_transactions t on t.block_height = a.block_height
          and t.transaction_index = a.transaction_index`,
        where: ["a.address = $1", "a.first_of_transaction"],
      },
    ],
    total: ({ request: { address }, scope, value }) =>
      scope.isEven
        ? `coalesce((select transaction_count from app.address_stats where address = ${value(bytesOf(address!))}), 0)::text`
        : undefined,
  }),
  listOf({
    name: "ft-transfers",
    summary: "Transfers of fungible tokens from or to an account",
    workers: ["token_worker"],
    columns: ftColumns,
    key: eventKey,
    branches: eitherSide(ftTable),
  }),
  listOf({
    name: "nft-transfers",
    summary: "Transfers of NFTs from or to an account",
    workers: ["token_worker"],
    columns: nftColumns,
    key: nftKey,
    branches: eitherSide(nftTable),
  }),
  listOf({
    name: "holdings",
    summary: "What an account holds of each fungible token, by its transfers",
    workers: ["token_worker", "ft_holdings_worker"],
    isState: true,
    columns: {
      contract_address: bytes("t.contract_address"),
      balance: number("t.balance"),
      decimals: integerOrNull("m.decimals"),
      symbol: textOrNull("m.symbol"),
      name: textOrNull("m.name"),
      transfers_in: number("t.transfers_in"),
      transfers_out: number("t.transfers_out"),
    },
    key: [{ column: "t.contract_address", type: "bytea" }],
    branches: heldNow,
    query: { at: atParam },
    select: async (tx, { address, at }) => {
      if (at !== undefined) return holdingsAt(tx, { address: bytesOf(address!), at })
      return { branches: heldNow, values: [bytesOf(address!)] }
    },
  }),
  listOf({
    name: "nfts",
    summary: "NFTs that an account owns, and how many of each ERC-1155 token",
    workers: ["token_worker", "nft_ownership_worker"],
    isState: true,
    columns: {
      contract_address: bytes("t.contract_address"),
      token_id: number("t.token_id"),
      standard: text("t.standard"),
      balance: number("t.balance"),
      symbol: textOrNull("m.symbol"),
      name: textOrNull("m.name"),
    },
    key: [
      { column: "t.contract_address", type: "bytea" },
      { column: "t.token_id", type: "numeric" },
    ],
    branches: ownedNow,
    query: { at: atParam },
    select: async (tx, { address, at }) => {
      if (at !== undefined) return nftsAt(tx, { address: bytesOf(address!), at })
      return { branches: ownedNow, values: [bytesOf(address!)] }
    },
    needs: ({ at }) => ({ indexes: at === undefined ? indexesOfOwned : [] }),
  }),
  listOf({
    name: "events",
    summary: "Events that a contract emitted",
    workers: ["evm_worker"],
    columns: eventColumns,
    extension: eventExtension,
    key: eventKey,
    branches: [{ from: "app.evm_logs t", where: ["t.address = $1"] }],
  }),
]

export const contractColumns: Readonly<Record<string, ResourceColumn>> = {
  address: bytes("t.address"),
  deployer: bytesOrNull("t.deployer"),
  transaction_hash: bytesOrNull("t.transaction_id"),
  method: textOrNull("t.method"),
  deployment_count: number("t.deployment_count"),
  first_block_height: numberOrNull("t.first_block_height"),
  last_block_height: numberOrNull("t.last_block_height"),
  code_hash: bytesOrNull("c.code_hash"),
  code_bytes: integerOrNull("c.code_bytes"),
}
