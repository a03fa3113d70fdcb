import { expect, test } from "vitest"
import { address, blockView } from "../../../../../test/support/block-view.js"
import { sumsByKey } from "../../../../../test/support/memory-fold.js"
import { runExtract } from "../../../../../test/support/run-extract.js"
import { metaWorker } from "../meta/meta-worker.js"
import { txMetricsWorker } from "../tx-metrics/tx-metrics-worker.js"
import { statsWorker } from "./stats-worker.js"

const dayUs = 86_400_000_000n
const table = statsWorker.tables.daily_stats

test("a day sums up what its blocks hold", () => {
  const block = blockView({
    timestampUs: 20_000n * dayUs,
    baseFeePerGas: 2n,
    transactions: [
      { gasUsed: 10n, effectiveGasPrice: 3n, events: [{}, {}] },
      { gasUsed: 20n, effectiveGasPrice: 3n, status: 0 },
      { gasUsed: null, status: null, to: null, contractAddress: address(1), events: [{}] },
    ],
  })
  const timestamp = block.timestampUs
  const rows = {
    ...runExtract(metaWorker, block),
    ...runExtract(txMetricsWorker, block),
    ft_transfers: [{ timestamp }, { timestamp }],
    nft_transfers: [{ timestamp }],
  }
  expect(sumsByKey(table, rows)).toEqual({
    "20000": {
      transactions: 3,
      failed: 1,
      gas_used: 30n,
      fees: 90n,
      burnt: 60n,
      events: 3,
      ft_transfers: 2,
      nft_transfers: 1,
      deployments: 1,
    },
  })
})

test("a day ends before the midnight of UTC", () => {
  const at = (timestampUs: bigint) =>
    Object.keys(sumsByKey(table, runExtract(txMetricsWorker, blockView({ timestampUs, transactions: [{}] }))))
  expect(at(20_001n * dayUs - 1n)).toEqual(["20000"])
  expect(at(20_001n * dayUs)).toEqual(["20001"])
})
