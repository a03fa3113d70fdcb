// What a transaction cost: the rows of tx_metrics.

import type { RawBlock, RawTransaction } from "./read-raw.js"

export interface Cost {
  readonly fee: bigint
  readonly burnt: bigint
}

export function cost(block: RawBlock, transaction: RawTransaction): Cost {
  const gasUsed = transaction.gasUsed ?? 0n
  const price = transaction.effectiveGasPrice ?? transaction.gasPrice ?? 0n
  const fee = gasUsed * price
  const burnt = gasUsed * (block.baseFeePerGas ?? 0n)
  if (burnt > fee) return { fee, burnt: fee }
  return { fee, burnt }
}
