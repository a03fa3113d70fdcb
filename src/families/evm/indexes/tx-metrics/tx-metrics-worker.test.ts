import { describe, expect, test } from "vitest"
import { address, blockView, word } from "../../../../../test/support/block-view.js"
import { runExtract } from "../../../../../test/support/run-extract.js"
import { txMetricsWorker } from "./tx-metrics-worker.js"

test("a transaction gives one row", () => {
  const transaction = {
    index: 2,
    id: word(5),
    from: address(6),
    status: 0,
    gasLimit: 30_000n,
    gasUsed: 21_000n,
    effectiveGasPrice: 10n,
    events: [{}],
  }
  const block = blockView({
    height: 4,
    timestampUs: 99n,
    baseFeePerGas: 7n,
    transactions: [transaction],
  })
  expect(runExtract(txMetricsWorker, block)).toEqual({
    tx_metrics: [
      {
        block_height: 4,
        transaction_index: 2,
        transaction_id: word(5),
        timestamp: 99n,
        from_address: address(6),
        status: 0,
        gas_limit: 30_000n,
        gas_used: 21_000n,
        effective_gas_price: 10n,
        fee: 210_000n,
        burnt: 147_000n,
        event_count: 1,
      },
    ],
  })
})

describe("fee and burnt", () => {
  const huge = 2n ** 256n - 1n
  test.each([
    ["the effective price goes before the offered one", { effective: 10n, offered: 20n, base: 7n }, 1000n, 700n],
    ["without an effective price the offered one counts", { effective: null, offered: 20n, base: 7n }, 2000n, 700n],
    ["an effective price of 0 is a price", { effective: 0n, offered: 20n, base: null }, 0n, 0n],
    ["without any price both are 0", { effective: null, offered: null, base: 7n }, 0n, 0n],
    ["without gas used both are 0", { used: null, effective: 10n, offered: 10n, base: 7n }, 0n, 0n],
    ["without a base fee nothing is burnt", { effective: 10n, offered: 10n, base: null }, 1000n, 0n],
    ["a base fee above the price burns the fee and no more", { effective: 5n, offered: 5n, base: 7n }, 500n, 500n],
    [
      "products outgrow an amount",
      { used: huge, effective: huge, offered: null, base: huge - 1n },
      huge * huge,
      huge * (huge - 1n),
    ],
  ])("%s", (_, { used = 100n, effective, offered, base }: Case, fee, burnt) => {
    const block = blockView({
      baseFeePerGas: base,
      transactions: [{ gasUsed: used, effectiveGasPrice: effective, gasPrice: offered }],
    })
    const [row] = runExtract(txMetricsWorker, block)["tx_metrics"]!
    expect(row).toMatchObject({ fee, burnt, effective_gas_price: effective })
  })
})

interface Case {
  used?: bigint | null
  effective: bigint | null
  offered: bigint | null
  base: bigint | null
}
