// tx_metrics_worker: what each transaction used and cost. The burnt part is never more than the fee: both are summed
// separately, and their difference is what block producers earned.

import { amount, bytes, int2, int4, int8, nullable, numeric, timestamp } from "../../../../workers/column.js"
import { eventTable } from "../../../../workers/define-worker.js"
import { defineWorker, partitionBlocks } from "../../define-worker.js"
import type { BlockView, TransactionView } from "../../raw/block-view.js"

/** In the chain's smallest unit; 0 when the chain does not report the gas used or its price. */
function feeOf(transaction: TransactionView): bigint {
  const price = transaction.effectiveGasPrice ?? transaction.gasPrice
  const used = transaction.gasUsed
  return price === null || used === null ? 0n : used * price
}

function burntOf(block: BlockView, transaction: TransactionView, fee: bigint): bigint {
  const used = transaction.gasUsed
  if (used === null || block.baseFeePerGas === null) return 0n
  const burnt = used * block.baseFeePerGas
  // System transactions of some chains pay less than the base fee, or nothing.
  return burnt < fee ? burnt : fee
}

export const txMetricsWorker = defineWorker({
  name: "tx_metrics_worker",
  version: 1,
  tables: {
    tx_metrics: eventTable({
      columns: {
        block_height: int8,
        transaction_index: int4,
        transaction_id: bytes,
        timestamp,
        from_address: nullable(bytes),
        status: nullable(int2),
        gas_limit: nullable(amount),
        gas_used: nullable(amount),
        effective_gas_price: nullable(amount),
        fee: numeric,
        burnt: numeric,
        event_count: int4,
      },
      key: ["block_height", "transaction_index"],
      partitionBlocks,
    }),
  },
  extract({ block, emit }) {
    for (const transaction of block.transactions) {
      const fee = feeOf(transaction)
      emit.tx_metrics({
        block_height: block.height,
        transaction_index: transaction.index,
        transaction_id: transaction.field("id"),
        timestamp: block.timestampUs,
        from_address: transaction.field("from_address"),
        status: transaction.field("status"),
        gas_limit: transaction.field("gas_limit"),
        gas_used: transaction.field("gas_used"),
        effective_gas_price: transaction.field("effective_gas_price"),
        fee,
        burnt: burntOf(block, transaction, fee),
        event_count: transaction.eventCount,
      })
    }
  },
})
