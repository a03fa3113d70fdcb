// token_metadata_worker: which contracts have to be asked for their name, symbol and decimals. What they answer is no function
// of the blocks and is kept elsewhere; coverage here means that a contract was asked or waits to be.

import { bytes, int8 } from "../../../../workers/column.js"
import { stateTable, sum } from "../../../../workers/define-worker.js"
import { defineWorker } from "../../define-worker.js"

const one = { literal: 1 } as const
const byContract = { contract_address: "contract_address" } as const

export const metadataWorker = defineWorker({
  name: "token_metadata_worker",
  version: 1,
  dependencies: ["token_worker"],
  tables: {
    metadata_subjects: stateTable({
      key: { contract_address: bytes },
      // Both kinds are counted, since they tell which questions make sense.
      columns: { ft_transfers: sum(int8), nft_transfers: sum(int8) },
      sources: [
        { table: "ft_transfers", key: byContract, set: { ft_transfers: one } },
        { table: "nft_transfers", key: byContract, set: { nft_transfers: one } },
      ],
      track: ["first"],
      // New subjects are found by where they first appear.
      indexes: [["first_block_height"]],
    }),
  },
})
