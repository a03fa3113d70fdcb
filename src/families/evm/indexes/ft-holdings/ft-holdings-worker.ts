// ft_holdings_worker: what an address holds of a fungible token, by its transfers. A token that changes balances
// without a transfer event (rebasing, hidden fees) has other balances than these.

import { bytes, int8, numeric } from "../../../../workers/column.js"
import { stateTable, sum } from "../../../../workers/define-worker.js"
import { defineWorker, one } from "../../define-worker.js"
import { zeroAddress } from "../evm-events/abi-words.js"

export const ftHoldingsWorker = defineWorker({
  name: "ft_holdings_worker",
  version: 1,
  dependencies: ["token_worker"],
  tables: {
    ft_holdings: stateTable({
      key: { address: bytes, contract_address: bytes },
      // Below zero until the transfers that brought the tokens are derived.
      columns: { balance: sum(numeric), transfers_in: sum(int8), transfers_out: sum(int8) },
      sources: [
        {
          table: "ft_transfers",
          where: { from_address: { isNot: zeroAddress } },
          key: { address: "from_address", contract_address: "contract_address" },
          set: { balance: { negate: "amount" }, transfers_out: one },
        },
        {
          table: "ft_transfers",
          where: { to_address: { isNot: zeroAddress } },
          key: { address: "to_address", contract_address: "contract_address" },
          set: { balance: "amount", transfers_in: one },
        },
      ],
      // Many holders may have the same balance: the address orders them.
      indexes: [["contract_address", "balance", "address"]],
      counts: { ft_holder_counts: { by: "contract_address", column: "holders", where: "balance > 0" } },
    }),
  },
})
