import { expect, test } from "vitest"
import { address } from "../../../../../test/support/block-view.js"
import { foldRows } from "../../../../../test/support/memory-fold.js"
import { metadataWorker } from "./metadata-worker.js"

const { metadata_subjects } = metadataWorker.tables
const at = (block_height: number) => ({
  block_height,
  transaction_index: 3,
  event_index: 4,
  contract_address: address(0xc0),
})

test("a contract is a subject from its first transfer of either kind", () => {
  expect(foldRows(metadata_subjects, { ft_transfers: [at(9)], nft_transfers: [at(8), at(10)] })).toEqual([
    {
      contract_address: address(0xc0),
      event_rows: 3,
      ft_transfers: 1,
      nft_transfers: 2,
      first_block_height: 8,
      first_transaction_index: 3,
      first_event_index: 4,
    },
  ])
})

test("the worker follows token_worker", () => {
  expect(metadataWorker).toMatchObject({ name: "token_metadata_worker", dependencies: ["token_worker"] })
})
