// token_metadata_worker: which contracts to ask for their name, symbol and decimals. Their answers do not follow
// from the blocks and are stored elsewhere. Coverage here means that a contract was asked or is queued.

import { bytes, int8 } from "../../../../workers/column.js"
import { stateTable, sum } from "../../../../workers/define-worker.js"
import { defineWorker, one } from "../../define-worker.js"

const byContract = { contract_address: "contract_address" } as const

export const metadataWorker = defineWorker({
  name: "token_metadata_worker",
  version: 1,
  dependencies: ["token_worker"],
  tables: {
    metadata_subjects: stateTable({
      key: { contract_address: bytes },
      columns: { ft_transfers: sum(int8), nft_transfers: sum(int8) },
      sources: [
        { table: "ft_transfers", key: byContract, set: { ft_transfers: one } },
        { table: "nft_transfers", key: byContract, set: { nft_transfers: one } },
      ],
      track: ["first"],
      // New subjects are found by the height where they first appear.
      indexes: [["first_block_height"]],
    }),
  },
})
