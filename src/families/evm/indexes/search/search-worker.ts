// search_worker: every contract that search can find, with what it is and how much it is used. Names are observations:
// app.search_terms follows app.token_metadata by triggers, and counts here only where the contract does.

import { bytes, int8 } from "../../../../workers/column.js"
import { stateTable, sum } from "../../../../workers/define-worker.js"
import { defineWorker, one } from "../../define-worker.js"

const byContract = { address: "contract_address" } as const

export const searchWorker = defineWorker({
  name: "search_worker",
  version: 1,
  dependencies: ["token_worker", "meta_worker"],
  tables: {
    search_subjects: stateTable({
      key: { address: bytes },
      columns: { ft_transfers: sum(int8), nft_transfers: sum(int8), deployments: sum(int8) },
      sources: [
        { table: "ft_transfers", key: byContract, set: { ft_transfers: one } },
        { table: "nft_transfers", key: byContract, set: { nft_transfers: one } },
        { table: "contract_deployments", key: { address: "address" }, set: { deployments: one } },
      ],
    }),
  },
})
