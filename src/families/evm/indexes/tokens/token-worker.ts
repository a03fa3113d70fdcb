// token_worker: one row for each transfer of a token, and their sums for each contract.

import { amount, bytes, int4, int8, nullable, numeric, text, timestamp } from "../../../../workers/column.js"
import { eventTable, stateTable, sum } from "../../../../workers/define-worker.js"
import { defineWorker, eventColumns, one, partitionBlocks } from "../../define-worker.js"
import { decodeTransfers } from "./decode-transfers.js"

const byContract = { contract_address: "contract_address" } as const

// Each row counts in exactly one source, so that event_rows is the number of transfers.
const ftOfKind = (kind: string, ...sums: readonly ("minted" | "burned")[]) => ({
  table: "ft_transfers",
  where: { kind: { is: kind } },
  key: byContract,
  set: { transfer_count: one, ...Object.fromEntries(sums.map((name) => [name, "amount"])) },
})
const nftOfKind = (standard: string, kind: string, ...sums: readonly ("minted" | "burned")[]) => ({
  table: "nft_transfers",
  where: { standard: { is: standard }, kind: { is: kind } },
  key: byContract,
  set: {
    transfer_count: one,
    [`${standard}_transfers`]: one,
    ...Object.fromEntries(sums.map((name) => [name, "amount"])),
  },
})

export const tokenWorker = defineWorker({
  name: "token_worker",
  version: 1,
  tables: {
    ft_transfers: eventTable({
      columns: {
        ...eventColumns,
        contract_address: bytes,
        from_address: bytes,
        to_address: bytes,
        amount,
        kind: text,
      },
      key: ["block_height", "transaction_index", "event_index"],
      partitionBlocks,
      indexes: [
        ["from_address", "block_height"],
        ["to_address", "block_height"],
        ["contract_address", "block_height", "transaction_index", "event_index"],
      ],
    }),
    nft_transfers: eventTable({
      columns: {
        block_height: int8,
        transaction_index: int4,
        event_index: int4,
        batch_index: int4,
        transaction_id: bytes,
        timestamp,
        contract_address: bytes,
        standard: text,
        operator: nullable(bytes),
        from_address: bytes,
        to_address: bytes,
        token_id: amount,
        amount,
        kind: text,
      },
      key: ["block_height", "transaction_index", "event_index", "batch_index"],
      partitionBlocks,
      indexes: [
        ["from_address", "block_height"],
        ["to_address", "block_height"],
        ["contract_address", "token_id", "block_height", "transaction_index", "event_index", "batch_index"],
        ["contract_address", "block_height", "transaction_index", "event_index"],
      ],
    }),
    ft_tokens: stateTable({
      key: { contract_address: bytes },
      columns: { transfer_count: sum(int8), minted: sum(numeric), burned: sum(numeric) },
      sources: [
        ftOfKind("transfer"),
        ftOfKind("mint", "minted"),
        ftOfKind("deposit", "minted"),
        ftOfKind("burn", "burned"),
        ftOfKind("withdrawal", "burned"),
      ],
      track: ["first", "last"],
      indexes: [["transfer_count", "contract_address"]],
    }),
    nft_collections: stateTable({
      key: { contract_address: bytes },
      columns: {
        transfer_count: sum(int8),
        minted: sum(numeric),
        burned: sum(numeric),
        erc721_transfers: sum(int8),
        erc1155_transfers: sum(int8),
      },
      sources: [
        nftOfKind("erc721", "transfer"),
        nftOfKind("erc721", "mint", "minted"),
        nftOfKind("erc721", "burn", "burned"),
        nftOfKind("erc1155", "transfer"),
        nftOfKind("erc1155", "mint", "minted"),
        nftOfKind("erc1155", "burn", "burned"),
      ],
      track: ["first", "last"],
      indexes: [["transfer_count", "contract_address"]],
    }),
    contracts: stateTable({
      key: { contract_address: bytes },
      columns: { ft_transfers: sum(int8), nft_transfers: sum(int8) },
      sources: [
        { table: "ft_transfers", key: byContract, set: { ft_transfers: one } },
        { table: "nft_transfers", key: byContract, set: { nft_transfers: one } },
      ],
      track: ["first", "last"],
    }),
  },
  extract({ block, emit }) {
    for (const transaction of block.transactions) {
      const { ft, nft } = decodeTransfers(transaction)
      if (ft.length === 0 && nft.length === 0) continue
      const id = transaction.field("id")
      // Written out: spreading an object costs several times as much.
      for (const transfer of ft) {
        emit.ft_transfers({
          block_height: block.height,
          transaction_index: transaction.index,
          event_index: transfer.eventIndex,
          transaction_id: id,
          timestamp: block.timestampUs,
          contract_address: transfer.contract,
          from_address: transfer.from,
          to_address: transfer.to,
          amount: transfer.amount,
          kind: transfer.kind,
        })
      }
      for (const transfer of nft) {
        emit.nft_transfers({
          block_height: block.height,
          transaction_index: transaction.index,
          event_index: transfer.eventIndex,
          batch_index: transfer.batchIndex,
          transaction_id: id,
          timestamp: block.timestampUs,
          contract_address: transfer.contract,
          standard: transfer.standard,
          operator: transfer.operator,
          from_address: transfer.from,
          to_address: transfer.to,
          token_id: transfer.tokenId,
          amount: transfer.amount,
          kind: transfer.kind,
        })
      }
    }
  },
})
