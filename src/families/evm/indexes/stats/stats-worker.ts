// stats_worker: what happened on each UTC day, as sums over other workers' rows.

import { date, int8, numeric } from "../../../../workers/column.js"
import { stateTable, sum } from "../../../../workers/define-worker.js"
import { defineWorker, one } from "../../define-worker.js"

const byDay = { day: { day: "timestamp" } } as const

export const statsWorker = defineWorker({
  name: "stats_worker",
  version: 1,
  dependencies: ["tx_metrics_worker", "token_worker", "meta_worker"],
  tables: {
    daily_stats: stateTable({
      key: { day: date },
      columns: {
        transactions: sum(int8),
        failed: sum(int8),
        gas_used: sum(numeric),
        fees: sum(numeric),
        burnt: sum(numeric),
        events: sum(int8),
        ft_transfers: sum(int8),
        nft_transfers: sum(int8),
        deployments: sum(int8),
      },
      sources: [
        {
          table: "tx_metrics",
          key: byDay,
          set: {
            transactions: one,
            gas_used: "gas_used",
            fees: "fee",
            burnt: "burnt",
            events: "event_count",
          },
        },
        { table: "tx_metrics", where: { status: { is: 0 } }, key: byDay, set: { failed: one } },
        { table: "ft_transfers", key: byDay, set: { ft_transfers: one } },
        { table: "nft_transfers", key: byDay, set: { nft_transfers: one } },
        { table: "contract_deployments", key: byDay, set: { deployments: one } },
      ],
    }),
  },
})
