// Blocks and the transactions of one block.

import { type TProperties, Type } from "typebox"
import { rawIngester } from "../../../coordination/raw-ingester.js"
import type { ApiResource, ResourceColumn } from "../../../queries/resource.js"
import { bytes, bytesOrNull, integer, number, numberOrNull, timestamp } from "../../../queries/value-schemas.js"
import { lookUpBlock, transactionKey } from "./chain-columns.js"
import { selectRow } from "./select-row.js"
import { transactionColumns } from "./transaction-columns.js"

const columns: Readonly<Record<string, ResourceColumn>> = {
  height: number("t.height"),
  hash: bytes("t.hash"),
  parent_hash: bytes("t.parent_hash"),
  timestamp: timestamp("t.timestamp"),
  transaction_count: integer("t.transaction_count"),
  event_count: integer("t.event_count"),
  miner: bytesOrNull("t.miner"),
  gas_limit: numberOrNull("t.gas_limit"),
  gas_used: numberOrNull("t.gas_used"),
  base_fee_per_gas: numberOrNull("t.base_fee_per_gas"),
  state_root: bytesOrNull("t.state_root"),
  transactions_root: bytesOrNull("t.transactions_root"),
  receipts_root: bytesOrNull("t.receipts_root"),
}

const blockParam: TProperties = {
  block: Type.String({ pattern: "^([0-9]{1,15}|0x[0-9a-fA-F]{64})$", description: "A height or a hash." }),
}

export const blockResources: readonly ApiResource[] = [
  {
    ...{ kind: "list", path: "/blocks", tag: "blocks", summary: "Blocks in chain order", store: "raw" },
    workers: [rawIngester],
    columns,
    key: [{ column: "t.height", type: "int8" }],
    height: "t.height",
    order: "desc",
    select: async () => ({ branches: [{ from: "raw.blocks t", where: [] }], values: [] }),
    total: ({ scope, value }) =>
      `${value(String(scope.covered.reduce((sum, { from, to }) => sum + to - from, 0)))}::text`,
  },
  {
    ...{ kind: "detail", path: "/blocks/:block", tag: "blocks", summary: "One block by height or hash", store: "raw" },
    workers: [rawIngester],
    params: blockParam,
    row: selectRow.schema(columns),
    lookup: lookUpBlock,
    one: ({ lookup_height: height }) => ({
      ...{ columns, from: "raw.blocks t where t.height = $1", values: [height], height: "t.height" },
    }),
  },
  {
    ...{ kind: "list", path: "/blocks/:block/transactions", tag: "blocks", store: "app" },
    summary: "The transactions of one block",
    workers: ["evm_worker"],
    params: blockParam,
    columns: transactionColumns,
    key: transactionKey,
    height: "t.block_height",
    order: "asc",
    lookup: lookUpBlock,
    select: async (_tx, { lookup_height: height }) => ({
      branches: [{ from: "app.evm_transactions t", where: ["t.block_height = $1"] }],
      values: [height],
    }),
  },
]
