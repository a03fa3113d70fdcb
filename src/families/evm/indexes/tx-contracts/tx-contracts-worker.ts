// tx_contracts_worker: which contracts took part in a transaction, and tags for what it did. Token tags come from
// the rows of token_worker, so that both agree on what a transfer is.

import type { Hex } from "../../../../domain/linked-block.js"
import { bool, bytes, int4, int8, text, timestamp } from "../../../../workers/column.js"
import { eventTable } from "../../../../workers/define-worker.js"
import type { UpstreamRow } from "../../../../workers/worker-definition.js"
import { defineWorker, partitionBlocks } from "../../define-worker.js"
import type { TransactionView } from "../../raw/block-view.js"
import { ftBits, hasInput, nftBits, tags, transactionBits } from "./tags.js"

export const txContractsWorker = defineWorker({
  name: "tx_contracts_worker",
  version: 1,
  dependencies: ["token_worker"],
  reads: ["ft_transfers", "nft_transfers"],
  tables: {
    tx_contracts: eventTable({
      columns: {
        block_height: int8,
        transaction_index: int4,
        transaction_id: bytes,
        contract_address: bytes,
        called: bool,
        event_count: int4,
      },
      key: ["block_height", "transaction_index", "contract_address"],
      partitionBlocks,
      indexes: [["contract_address", "block_height", "transaction_index"]],
    }),
    tx_tags: eventTable({
      columns: {
        block_height: int8,
        transaction_index: int4,
        tag: text,
        transaction_id: bytes,
        timestamp,
      },
      key: ["block_height", "transaction_index", "tag"],
      partitionBlocks,
      indexes: [["tag", "block_height", "transaction_index"]],
    }),
  },
  extract({ block, emit, rows }) {
    const tokenBits = new Map<number, number>()
    collectBits(tokenBits, ftBits, rows["ft_transfers"])
    collectBits(tokenBits, nftBits, rows["nft_transfers"])
    for (const transaction of block.transactions) {
      const id = transaction.field("id")
      const called = calledContracts(transaction)
      for (const [contract, events] of countEvents(transaction, called)) {
        emit.tx_contracts({
          // Written out: spreading an object costs several times as much.
          block_height: block.height,
          transaction_index: transaction.index,
          transaction_id: id,
          contract_address: contract,
          called: called.includes(contract),
          event_count: events,
        })
      }
      const bits = transactionBits(transaction) | (tokenBits.get(transaction.index) ?? 0)
      for (let i = 0; i < tags.length; i++) {
        if ((bits & (1 << i)) === 0) continue
        emit.tx_tags({
          block_height: block.height,
          transaction_index: transaction.index,
          tag: tags[i]!,
          transaction_id: id,
          timestamp: block.timestampUs,
        })
      }
    }
  },
})

function collectBits(
  byTransaction: Map<number, number>,
  bits: ReadonlyMap<unknown, number>,
  rows: readonly UpstreamRow[] = [],
): void {
  for (const row of rows) {
    const index = Number(row["transaction_index"])
    byTransaction.set(index, (byTransaction.get(index) ?? 0) | (bits.get(row["kind"]) ?? 0))
  }
}

/** What the transaction calls or creates. A failed creation leaves nothing, even when its receipt has an address. */
function calledContracts(transaction: TransactionView): readonly Hex[] {
  const { to, contractAddress, status } = transaction
  const called: Hex[] = []
  if (to !== null && hasInput(transaction)) called.push(to)
  if (contractAddress !== null && status !== 0) called.push(contractAddress)
  return called
}

/** Number of logs by contract; the called contracts come first, even with none. */
function countEvents(transaction: TransactionView, called: readonly Hex[]): ReadonlyMap<Hex, number> {
  const counts = new Map<Hex, number>(called.map((contract) => [contract, 0]))
  for (const { address } of transaction.events) {
    if (address !== null) counts.set(address, (counts.get(address) ?? 0) + 1)
  }
  return counts
}
