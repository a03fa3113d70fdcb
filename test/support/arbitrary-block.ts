// Blocks as no chain would make them: any field missing, topics and data of any length, known events with wrong contents.
// What a node can be made to say, an extract has to bear.

import fc from "fast-check"
import type { Hex } from "../../src/domain/linked-block.js"
import { eventTopics } from "../../src/families/evm/indexes/evm-events/event-topics.js"
import type { BlockView } from "../../src/families/evm/raw/block-view.js"
import { address, blockView, type EventParts, type TransactionParts, word } from "./block-view.js"

const nullOr = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.option(values, { freq: 4 })

const anyBytes = (maxLength: number): fc.Arbitrary<Hex> =>
  fc.uint8Array({ maxLength }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`)

// Few addresses, the zero address among them, so that roles and contracts meet.
const fewAddresses = fc.integer({ min: 0, max: 4 }).map((digit) => address(digit))
const anyAddress = fc.oneof({ weight: 6, arbitrary: fewAddresses }, { weight: 1, arbitrary: anyBytes(40) })
const anyWord = fc.oneof(
  fewAddresses.map((each) => word(each)),
  fc.constantFrom(0n, 1n, 2n, 32n, 64n, 96n, 128n, 2n ** 53n, 2n ** 256n - 1n).map((each) => word(each)),
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((each) => word(each)),
)

const anyTopic = fc.oneof({ weight: 8, arbitrary: anyWord }, { weight: 1, arbitrary: anyBytes(40) })
const knownTopic = fc.constantFrom(...Object.values(eventTopics))
const anyTopics = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(knownTopic, fc.array(anyTopic, { maxLength: 3 })).map(([first, rest]) => [first, ...rest]),
  },
  { weight: 1, arbitrary: fc.array(anyTopic, { maxLength: 4 }) },
)
const anyData = fc
  .tuple(fc.array(anyWord, { maxLength: 8 }), fc.oneof(fc.constant("0x"), anyBytes(33)))
  .map(([words, tail]) => `0x${[...words, tail].map((hex) => hex.slice(2)).join("")}`)

const anyEvent: fc.Arbitrary<EventParts> = fc.record({
  address: nullOr(anyAddress),
  topics: anyTopics,
  data: nullOr(anyData),
  extra: nullOr(fc.string()),
})

const anyAmount = nullOr(
  fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.constantFrom(0n, 1n, 2n ** 256n - 1n)),
)

// Now and then about the size from which a body does not stand in a row.
const anyInput = nullOr(
  fc.oneof(
    { weight: 12, arbitrary: anyBytes(12) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 8190, max: 8195 }).map((length) => `0x${"ab".repeat(length)}`),
    },
  ),
)

const anyTransaction: fc.Arbitrary<TransactionParts> = fc.record({
  type: nullOr(fc.integer({ min: 0, max: 32767 })),
  status: nullOr(fc.integer({ min: 0, max: 2 })),
  from: nullOr(anyAddress),
  to: nullOr(anyAddress),
  nonce: anyAmount,
  value: anyAmount,
  gasLimit: anyAmount,
  gasUsed: anyAmount,
  gasPrice: anyAmount,
  maxFeePerGas: anyAmount,
  maxPriorityFeePerGas: anyAmount,
  effectiveGasPrice: anyAmount,
  contractAddress: nullOr(anyAddress),
  input: anyInput,
  extra: nullOr(fc.string()),
  events: fc.array(anyEvent, { maxLength: 6 }),
})

export const arbitraryBlock: fc.Arbitrary<BlockView> = fc
  .record({
    height: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 ** 40 })),
    timestampUs: fc.bigInt({ min: 0n, max: 2n ** 60n }),
    baseFeePerGas: anyAmount,
    miner: nullOr(anyAddress),
    gasLimit: anyAmount,
    gasUsed: anyAmount,
    extra: nullOr(fc.string()),
    transactions: fc.array(anyTransaction, { maxLength: 5 }),
  })
  .map((parts) => blockView(parts))
