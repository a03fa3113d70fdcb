import { describe, expect, test } from "vitest"
import { address, blockView, data, type TransactionParts, word } from "../../../../../test/support/block-view.js"
import { sumsByKey } from "../../../../../test/support/memory-fold.js"
import { runExtract } from "../../../../../test/support/run-extract.js"
import { evmWorker } from "../evm/evm-worker.js"
import { eventTopics } from "../evm-events/event-topics.js"
import { metaWorker } from "../meta/meta-worker.js"
import { txMetricsWorker } from "../tx-metrics/tx-metrics-worker.js"
import { accountsWorker } from "./accounts-worker.js"

const alice = address(0xa)
const bob = address(0xb)
const contract = address(0xc0)

const zero = {
  transaction_count: 0,
  created_count: 0,
  transactions_sent: 0,
  value_sent: 0n,
  value_received: 0n,
  fees_paid: 0n,
  deployments: 0,
}
type Sums = Partial<typeof zero>

function accountsAfter(transactions: readonly TransactionParts[]) {
  const block = blockView({ transactions })
  return sumsByKey(accountsWorker.tables.accounts, {
    ...runExtract(metaWorker, block),
    ...runExtract(evmWorker, block),
    ...runExtract(txMetricsWorker, block),
  })
}

const base = { from: alice, to: bob, value: 7n, gasUsed: 10n, effectiveGasPrice: 3n }

describe("accounts", () => {
  const cases: readonly [string, TransactionParts, Readonly<Record<string, Sums>>][] = [
    [
      "a transfer moves value and costs its sender the fee",
      base,
      {
        [alice]: { transaction_count: 1, transactions_sent: 1, value_sent: 7n, fees_paid: 30n },
        [bob]: { transaction_count: 1, value_received: 7n },
      },
    ],
    [
      "a failed transfer is sent and paid for, and moves nothing",
      { ...base, status: 0 },
      {
        [alice]: { transaction_count: 1, transactions_sent: 1, fees_paid: 30n },
        [bob]: { transaction_count: 1 },
      },
    ],
    [
      "a transfer on a chain that does not tell success counts as done",
      { ...base, status: null },
      {
        [alice]: { transaction_count: 1, transactions_sent: 1, value_sent: 7n, fees_paid: 30n },
        [bob]: { transaction_count: 1, value_received: 7n },
      },
    ],
    [
      "a creation gives its value to the contract",
      { ...base, to: null, contractAddress: contract },
      {
        [alice]: { transaction_count: 1, transactions_sent: 1, value_sent: 7n, fees_paid: 30n },
        [contract]: { transaction_count: 1, created_count: 1, value_received: 7n, deployments: 1 },
      },
    ],
    [
      "a failed creation deploys nothing",
      { ...base, to: null, contractAddress: contract, status: 0 },
      {
        [alice]: { transaction_count: 1, transactions_sent: 1, fees_paid: 30n },
        [contract]: { transaction_count: 1, created_count: 1 },
      },
    ],
    [
      "one who sends to itself sends and receives in one transaction",
      { ...base, to: alice },
      {
        [alice]: {
          transaction_count: 1,
          transactions_sent: 1,
          value_sent: 7n,
          value_received: 7n,
          fees_paid: 30n,
        },
      },
    ],
    [
      "a factory's contract is deployed, though no transaction created it",
      {
        ...base,
        value: null,
        events: [
          {
            address: bob,
            topics: [eventTopics["ContractCreation(address)"], word(contract)],
            data: data(0),
          },
        ],
      },
      {
        [alice]: { transaction_count: 1, transactions_sent: 1, fees_paid: 30n },
        [bob]: { transaction_count: 1 },
        [contract]: { deployments: 1 },
      },
    ],
    ["a transaction of nobody to nobody is nobody's", { ...base, from: null, to: null }, {}],
  ]
  test.each(cases)("%s", (_, transaction, expected) => {
    const sums = Object.fromEntries(Object.entries(expected).map(([key, sums]) => [key, { ...zero, ...sums }]))
    expect(accountsAfter([transaction])).toEqual(sums)
  })

  test("only address_transactions says when an address was seen", () => {
    const seen = accountsWorker.tables.accounts.sources.filter((source) => source.seen !== false)
    expect(new Set(seen.map(({ table }) => table))).toEqual(new Set(["address_transactions"]))
  })
})
