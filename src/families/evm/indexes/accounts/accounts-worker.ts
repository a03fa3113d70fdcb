// accounts_worker: one row for each address that took part in a transaction or was deployed by a factory. It sums
// the rows of several workers. Only address_transactions says when an address was seen, so an address that is known
// from a factory's event alone has no first and last position.

import { bytes, int8, numeric } from "../../../../workers/column.js"
import { stateTable, sum } from "../../../../workers/define-worker.js"
import type { FoldSource } from "../../../../workers/worker-definition.js"
import { defineWorker, one } from "../../define-worker.js"
import { countAddressRows } from "../meta/meta-worker.js"

type Where = NonNullable<FoldSource["where"]>

// A failed transaction moves no value. Where the chain does not say (before Byzantium), it counts as successful.
const notFailed: Where = { status: { isNot: 0 } }

/** Sums rows by one of their addresses, where they have it. */
const sumBy = (
  table: string,
  address: string,
  set: NonNullable<FoldSource["set"]>,
  where: Where = {},
): FoldSource => ({
  table,
  where: { [address]: { isNot: null }, ...where },
  key: { address },
  set,
  seen: false,
})

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
        countAddressRows("transaction_count", { first_of_transaction: { is: true } }),
        countAddressRows("created_count", { role: { is: "created" } }),
        sumBy("evm_transactions", "from_address", { transactions_sent: one }),
        sumBy("evm_transactions", "from_address", { value_sent: "value" }, notFailed),
        sumBy("evm_transactions", "to_address", { value_received: "value" }, notFailed),
        sumBy("evm_transactions", "contract_address", { value_received: "value" }, notFailed),
        sumBy("tx_metrics", "from_address", { fees_paid: "fee" }),
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
