// Transactions, and the events and transfers of one of them.

import { type TProperties, Type } from "typebox"
import { rawIngester } from "../../../coordination/raw-ingester.js"
import { JsonText } from "../../../queries/json-text.js"
import type { ApiResource, ResourceColumn } from "../../../queries/resource.js"
import { bytes, bytesOf, bytesOrNull, hashParam, numberOrNull, timestamp } from "../../../queries/value-schemas.js"
import { stringifyExact } from "../source/exact-json.js"
import { eventKey, lookUpTransaction } from "./chain-columns.js"
import { callExtension, eventExtension } from "./decoded-rows.js"
import { eventColumns } from "./event-resources.js"
import { selectRow } from "./select-row.js"
import { readTransactionJson } from "./stored-json.js"
import { transactionColumns } from "./transaction-columns.js"
import { ftColumns, ftTable, nftColumns, nftKey, nftTable } from "./transfer-columns.js"

const hash: TProperties = { hash: hashParam }
const sent = Type.Object({}, { additionalProperties: true })

const detailColumns: Readonly<Record<string, ResourceColumn>> = {
  ...transactionColumns,
  // As the table of raw names them.
  transaction_hash: bytes("t.id"),
  timestamp: timestamp("b.timestamp"),
  method_id: bytesOrNull("case when t.to_address is not null and length(t.input) >= 4 then substr(t.input, 1, 4) end"),
  cumulative_gas_used: numberOrNull("t.cumulative_gas_used"),
  max_fee_per_gas: numberOrNull("t.max_fee_per_gas"),
  max_priority_fee_per_gas: numberOrNull("t.max_priority_fee_per_gas"),
  block_hash: bytesOrNull("b.hash"),
  input: bytesOrNull("t.input"),
}

export const transactionResources: readonly ApiResource[] = [
  {
    ...{ kind: "list", path: "/transactions", tag: "transactions", store: "app" },
    summary: "Transactions in chain order",
    workers: ["evm_worker"],
    columns: transactionColumns,
    key: eventKey,
    height: "t.block_height",
    order: "desc",
    select: async () => ({ branches: [{ from: "app.evm_transactions t", where: [] }], values: [] }),
  },
  {
    ...{ kind: "detail", path: "/transactions/:hash", tag: "transactions", store: "raw" },
    summary: "One transaction by its hash, with its whole input and the call that it is",
    extension: callExtension,
    workers: [rawIngester],
    params: hash,
    row: selectRow.schema(detailColumns, callExtension),
    lookup: lookUpTransaction,
    one: ({ lookup_height: height, hash: id }) => ({
      columns: detailColumns,
      from: `raw.transactions t join raw.blocks b on b.height = t.block_height
        where t.block_height = $1 and t.id = $2 and b.height = $1`,
      values: [height, bytesOf(id!)],
      height: "t.block_height",
    }),
  },
  {
    ...{ kind: "detail", path: "/transactions/:hash/raw", tag: "transactions", store: "raw" },
    summary: "One transaction and its receipt with its logs, as the node sent them",
    workers: [rawIngester],
    params: hash,
    // They read all columns, which a plan that is kept cannot when there is another one.
    plansVary: true,
    row: Type.Object({ transaction: sent, receipt: Type.Union([Type.Null(), sent]) }),
    read: async (tx, { request }) => {
      const found = await readTransactionJson(tx, bytesOf(request["hash"]!))
      if (!found) return undefined
      const { height, transaction, receipt } = found
      // Numbers beyond 2^53 stay as they were written.
      return { data: new JsonText(stringifyExact({ transaction, receipt })), height }
    },
  },
  {
    ...{ kind: "list", path: "/transactions/:hash/events", tag: "transactions", store: "app" },
    summary: "The events of one transaction",
    extension: eventExtension,
    workers: ["evm_worker"],
    params: hash,
    columns: eventColumns,
    key: eventKey,
    height: "t.block_height",
    order: "asc",
    lookup: lookUpTransaction,
    select: async (_tx, request) => ({
      branches: [{ from: "app.evm_logs t", where: ofTransaction }],
      values: placeOf(request),
    }),
  },
  {
    ...{ kind: "list", path: "/transactions/:hash/transfers", tag: "transactions", store: "app" },
    summary: "The transfers of fungible tokens in one transaction",
    workers: ["token_worker"],
    params: hash,
    columns: ftColumns,
    key: eventKey,
    height: "t.block_height",
    order: "asc",
    lookup: lookUpTransaction,
    select: async (_tx, request) => ({
      branches: [{ from: ftTable, where: ofTransaction }],
      values: placeOf(request),
    }),
  },
  {
    ...{ kind: "list", path: "/transactions/:hash/nft-transfers", tag: "transactions", store: "app" },
    summary: "The transfers of NFTs in one transaction",
    workers: ["token_worker"],
    params: hash,
    columns: nftColumns,
    key: nftKey,
    height: "t.block_height",
    order: "asc",
    lookup: lookUpTransaction,
    select: async (_tx, request) => ({
      branches: [{ from: nftTable, where: ofTransaction }],
      values: placeOf(request),
    }),
  },
]

// The id too: raw may have rolled the transaction back since its place was looked up.
const ofTransaction = ["t.block_height = $1", "t.transaction_index = $2", "t.transaction_id = $3"]

const placeOf = ({ lookup_height: height, lookup_index: index, hash }: Readonly<Record<string, string>>) => [
  height,
  index,
  bytesOf(hash!),
]
