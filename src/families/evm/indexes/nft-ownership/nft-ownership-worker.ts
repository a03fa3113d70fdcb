// nft_ownership_worker: the owner of an ERC-721 token (the receiver of its last transfer), and how many of an ERC-1155
// token each address holds.

import { amount, bytes, int8, numeric } from "../../../../workers/column.js"
import { last, stateTable, sum } from "../../../../workers/define-worker.js"
import { defineWorker, one } from "../../define-worker.js"
import { zeroAddress } from "../evm-events/abi-words.js"

export const nftOwnershipWorker = defineWorker({
  name: "nft_ownership_worker",
  version: 1,
  dependencies: ["token_worker"],
  tables: {
    nft_ownership: stateTable({
      key: { contract_address: bytes, token_id: amount },
      // The zero address owns what was burned.
      columns: { owner: last(bytes), transfer_count: sum(int8) },
      sources: [
        {
          table: "nft_transfers",
          where: { standard: { is: "erc721" } },
          key: { contract_address: "contract_address", token_id: "token_id" },
          set: { owner: "to_address", transfer_count: one },
        },
      ],
      track: ["first", "last"],
      position: ["block_height", "transaction_index", "event_index", "batch_index"],
      indexes: [["owner", "contract_address", "token_id"]],
      counts: {
        // All that ever were: as many as the table has rows.
        nft_token_counts: { by: "contract_address", column: "tokens", where: "true" },
        nft_item_counts: { by: "contract_address", column: "items", where: `owner <> '\\x${zeroAddress.slice(2)}'` },
      },
    }),
    nft_balances: stateTable({
      key: { contract_address: bytes, token_id: amount, address: bytes },
      columns: { balance: sum(numeric), transfers_in: sum(int8), transfers_out: sum(int8) },
      sources: [
        {
          table: "nft_transfers",
          where: { standard: { is: "erc1155" }, from_address: { isNot: zeroAddress } },
          key: { contract_address: "contract_address", token_id: "token_id", address: "from_address" },
          set: { balance: { negate: "amount" }, transfers_out: one },
        },
        {
          table: "nft_transfers",
          where: { standard: { is: "erc1155" }, to_address: { isNot: zeroAddress } },
          key: { contract_address: "contract_address", token_id: "token_id", address: "to_address" },
          set: { balance: "amount", transfers_in: one },
        },
      ],
      indexes: [["address", "contract_address", "token_id"]],
    }),
  },
})
