// A worker of one's own, in one file: large transfers of ERC-20 tokens, one row each, and what they come to for every address.
// Run it with `tidemark start --config examples/whale-transfers/tidemark.config.ts`; it needs no change anywhere else.

import {
  amount,
  bytes,
  decodedLogs,
  defineConfig,
  defineWorker,
  eventTable,
  int4,
  int8,
  max,
  numeric,
  stateTable,
  sum,
  timestamp,
} from "tidemark"

// `as const`, so that the arguments of a decoded log have types.
const erc20 = [
  {
    type: "event",
    name: "Transfer",
    inputs: [
      { name: "from", type: "address", indexed: true },
      { name: "to", type: "address", indexed: true },
      { name: "value", type: "uint256", indexed: false },
    ],
  },
] as const

/** In base units: five of a token with 18 decimals. Enough for the demo chain; take more on a real one. */
const whale = 5n * 10n ** 18n

export const whaleWorker = defineWorker({
  name: "whale_worker",
  version: 1,
  tables: {
    // Rows that happened at a place in the chain: written once, undone by their height.
    whale_transfers: eventTable({
      columns: {
        block_height: int8,
        transaction_index: int4,
        event_index: int4,
        timestamp,
        token: bytes,
        sender: bytes,
        recipient: bytes,
        amount,
      },
      key: ["block_height", "transaction_index", "event_index"],
      indexes: [["token", "block_height"]],
    }),
    // State by key, folded from those rows: the same whatever the order in which ranges of blocks are derived.
    whales: stateTable({
      key: { token: bytes, address: bytes },
      columns: { sent: sum(numeric), received: sum(numeric), largest: max(amount), transfers: sum(int8) },
      sources: [
        {
          table: "whale_transfers",
          key: { token: "token", address: "sender" },
          set: { sent: "amount", largest: "amount", transfers: { literal: 1 } },
        },
        {
          table: "whale_transfers",
          key: { token: "token", address: "recipient" },
          set: { received: "amount", largest: "amount", transfers: { literal: 1 } },
        },
      ],
      track: ["first", "last"],
      indexes: [["address"]],
    }),
  },
  // Pure: the same block gives the same rows, whoever asks and when.
  extract({ block, emit }) {
    for (const { event, args } of decodedLogs(block, { abi: erc20, eventName: "Transfer" })) {
      if (event.address === null || args.value < whale) continue
      emit.whale_transfers({
        block_height: block.height,
        transaction_index: event.transactionIndex,
        event_index: event.index,
        timestamp: block.timestampUs,
        token: event.address,
        sender: args.from,
        recipient: args.to,
        amount: args.value,
      })
    }
  },
})

export default defineConfig({ workers: [whaleWorker] })
