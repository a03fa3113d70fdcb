// accounts_worker: one row for each address that took part in a transaction or was deployed by a factory. Sums come from several
// workers' rows; only address_transactions says when an address was seen, so one known from a factory's event alone has no ends.

import { bytes, int8, numeric } from "../../../../workers/column.js"
import { stateTable, sum } from "../../../../workers/define-worker.js"
import { defineWorker } from "../../define-worker.js"

const one = { literal: 1 } as const
const known = { isNot: null } as const
// A failed transaction moves no value. Where the chain does not tell (before Byzantium), it counts as done.
const notFailed = { isNot: 0 } as const

export const accountsWorker = defineWorker({
  name: "accounts_worker",
  version: 1,
  dependencies: ["meta_worker", "evm_worker", "tx_metrics_worker"],
  tables: {
    accounts: stateTable({
      key: { address: bytes },
      columns: {
        transaction_count: sum(int8),
        created_count: sum(int8),
        transactions_sent: sum(int8),
        value_sent: sum(numeric),
        value_received: sum(numeric),
        fees_paid: sum(numeric),
        deployments: sum(int8),
      },
      sources: [
        {
          table: "address_transactions",
          where: { first_of_transaction: { is: true } },
          key: { address: "address" },
          set: { transaction_count: one },
        },
        {
          table: "address_transactions",
          where: { role: { is: "created" } },
          key: { address: "address" },
          set: { created_count: one },
        },
        {
          table: "evm_transactions",
          where: { from_address: known },
          key: { address: "from_address" },
          set: { transactions_sent: one },
          seen: false,
        },
        {
          table: "evm_transactions",
          where: { from_address: known, status: notFailed },
          key: { address: "from_address" },
          set: { value_sent: "value" },
          seen: false,
        },
        {
          table: "evm_transactions",
          where: { to_address: known, status: notFailed },
          key: { address: "to_address" },
          set: { value_received: "value" },
          seen: false,
        },
        {
          table: "evm_transactions",
          where: { contract_address: known, status: notFailed },
          key: { address: "contract_address" },
          set: { value_received: "value" },
          seen: false,
        },
        {
          table: "tx_metrics",
          where: { from_address: known },
          key: { address: "from_address" },
          set: { fees_paid: "fee" },
          seen: false,
        },
        {
          table: "contract_deployments",
          key: { address: "address" },
          set: { deployments: one },
          seen: false,
        },
      ],
      track: ["first", "last"],
      position: ["block_height", "transaction_index"],
    }),
  },
})
