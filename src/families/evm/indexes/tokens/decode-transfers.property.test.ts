import fc from "fast-check"
import { expect, test } from "vitest"
import { type EventParts, transactionView } from "../../../../../test/support/block-view.js"
import { eventTopics } from "../evm-events/event-topics.js"
import { decodeTransfers } from "./decode-transfers.js"

const hex = (bytes: fc.Arbitrary<Uint8Array>) => bytes.map((each) => `0x${Buffer.from(each).toString("hex")}`)
const digits = (text: fc.Arbitrary<string>) => text.map((each) => each.padStart(64, "0"))
/** Two arrays as they should be, before one word is replaced. */
const batchWords = ["40", "a0", "2", "7", "8", "2", "1", "f"].map((each) => each.padStart(64, "0"))
/** Words that decoders trip over: small numbers, offsets, largest values, clean and dirty addresses. */
const wordDigits = fc.oneof(
  digits(fc.constantFrom("0", "1", "2", "20", "40", "41", "60", "80", "a0", "c0", "ffffffff", "100000040")),
  fc.constantFrom("f".repeat(64), `8${"0".repeat(63)}`),
  digits(fc.constantFrom("aa".repeat(20), "bb".repeat(20))),
  digits(hex(fc.uint8Array({ minLength: 20, maxLength: 20 })).map((each) => each.slice(2))),
  hex(fc.uint8Array({ minLength: 32, maxLength: 32 })).map((each) => each.slice(2)),
)
const anyBytes = hex(fc.uint8Array({ maxLength: 100 }))
const topic = fc.oneof(
  { weight: 9, arbitrary: wordDigits.map((each) => `0x${each}`) },
  { weight: 1, arbitrary: anyBytes },
)
const body = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(null, "0x") },
  { weight: 1, arbitrary: anyBytes },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.array(wordDigits, { maxLength: 9 }), anyBytes, fc.boolean())
      .map(([words, rest, ragged]) => `0x${words.join("")}${ragged ? rest.slice(2) : ""}`),
  },
)
const almostBatch = fc
  .tuple(fc.nat(batchWords.length), wordDigits)
  .map(([at, replaced]) => `0x${batchWords.map((each, i) => (i === at ? replaced : each)).join("")}`)
const emitter = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 20, arbitrary: fc.constantFrom(`0x${"11".repeat(20)}`, `0x${"22".repeat(20)}`) },
)
const tokenTopics = Object.entries(eventTopics)
  .filter(([signature]) => /^(Transfer|Deposit|Withdrawal)/.test(signature))
  .map(([, first]) => first)
const log: fc.Arbitrary<EventParts> = fc.record({
  address: emitter,
  topics: fc
    .tuple(fc.constantFrom(...tokenTopics), fc.array(topic, { maxLength: 4 }))
    .map(([first, rest]) => [first, ...rest]),
  data: body,
})
const party = fc.constantFrom("0", "aa".repeat(20), "bb".repeat(20)).map((each) => `0x${each.padStart(64, "0")}`)
/** Well-formed but for one word at most. */
const almostRight: fc.Arbitrary<EventParts> = fc.record({
  address: emitter,
  topics: fc
    .tuple(fc.constantFrom(...tokenTopics), fc.array(party, { minLength: 1, maxLength: 3 }))
    .map(([first, rest]) => [first, ...rest]),
  data: almostBatch,
})
/** Nothing a store would hold, but nothing to fall over either. */
const garbage: fc.Arbitrary<EventParts> = fc.record({
  address: fc.oneof(fc.constant(null), fc.string()),
  topics: fc.array(fc.oneof(fc.string(), fc.constantFrom(...Object.values(eventTopics))), { maxLength: 6 }),
  data: fc.oneof(fc.constant(null), fc.string({ maxLength: 400 }), fc.string({ minLength: 150, maxLength: 400 })),
})

const isWord = (text: string) => /^0x[0-9a-f]{64}$/.test(text)
const isAddress = (text: string) => /^0x[0-9a-f]{40}$/.test(text)

test("any logs decode to rows of whole words and addresses, at most one for each 32 bytes", () => {
  const seen = { erc20: 0, erc721: 0, erc1155: 0, batched: 0 }
  fc.assert(
    fc.property(fc.array(fc.oneof(log, almostRight), { maxLength: 8 }), (events) => {
      const transaction = transactionView({ events })
      const { ft, nft } = decodeTransfers(transaction)
      seen.erc20 += ft.length
      for (const row of nft) seen[row.standard]++
      seen.batched += nft.filter((row) => row.batchIndex > 0).length
      for (const row of ft) expect([row.contract, row.from, row.to].every(isAddress) && isWord(row.amount)).toBe(true)
      for (const row of nft) {
        expect([row.contract, row.from, row.to].every(isAddress)).toBe(true)
        expect(isWord(row.tokenId) && isWord(row.amount)).toBe(true)
        expect(row.operator === null).toBe(row.standard === "erc721")
        expect(row.operator === null || isAddress(row.operator)).toBe(true)
      }
      expect(new Set(ft.map((row) => row.eventIndex)).size).toBe(ft.length)
      expect(new Set(nft.map((row) => `${row.eventIndex}/${row.batchIndex}`)).size).toBe(nft.length)
      for (const event of transaction.events) {
        const given = nft.filter((row) => row.eventIndex === event.index).length
        expect(given).toBeLessThanOrEqual(1 + (event.data?.length ?? 0) / 64)
      }
    }),
    { numRuns: 1000 },
  )
  // Otherwise the property would hold for a decoder that gives nothing.
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(10)
})

test("text that is no hex at all is no error", () => {
  fc.assert(
    fc.property(fc.array(garbage, { maxLength: 4 }), (events) => {
      expect(() => decodeTransfers(transactionView({ events }))).not.toThrow()
    }),
    { numRuns: 1000 },
  )
})
