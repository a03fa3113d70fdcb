import fc from "fast-check"
import { expect, test } from "vitest"
import type { FetchedBlock } from "./block-json.js"
import { BloomReader } from "./bloom.js"
import { decodeBlock } from "./decode-block.js"
import { ExactNumber, parseExactJson, stringifyExact } from "./exact-json.js"
import { isFixedHex, isHexBytes, isQuantity } from "./hex-text.js"
import { pairReceipts } from "./pair-receipts.js"
import { headerJson, type Json, receiptJson, transactionJson } from "./rebuild-json.js"
import { verifyBlock } from "./verify-block.js"

const noChecks = { parent: false, counts: false, logOrder: false, bloom: false, receipts: false, gas: false }
const chainId = "0x539"

const digits = (count: number) =>
  fc.array(fc.constantFrom(..."0123456789abcdef"), { minLength: count, maxLength: count }).map((all) => all.join(""))
const fixed = (bytes: number) => digits(2 * bytes).map((hex) => `0x${hex}`)
const anyCase = (bytes: number) =>
  fc.oneof(
    { weight: 9, arbitrary: fixed(bytes) },
    { weight: 1, arbitrary: fixed(bytes).map((hex) => `0x${hex.slice(2).toUpperCase()}`) },
  )
const data = fc.uint8Array({ maxLength: 80 }).map((bytes) => `0x${Buffer.from(bytes).toString("hex")}`)
const canonical = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((value) => `0x${value.toString(16)}`)
const hostile = fc.oneof(
  fc.constantFrom("\u0000", "\ud800", "a\udc00b", "\u202eevil", "<script>alert(1)</script>", "__proto__", "\u2028"),
  fc.string({ unit: "binary", maxLength: 8 }),
)
const exact = fc
  .constantFrom("9007199254740993", "1e400", "-0", "0.1", "123456789012345678901234567890", "1.50", "-1E-7")
  .map((source) => new ExactNumber(source))
const anything = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 7, -3, [], {}, "0x", "0x0", "0x00", "0X1"),
  hostile,
  exact,
  fc.dictionary(hostile, fc.oneof(hostile, exact, fc.integer()), { maxKeys: 3 }),
  fc.array(fc.oneof(hostile, exact), { maxLength: 3 }),
)
/** Mostly canonical, sometimes another spelling of a number, sometimes no number at all. */
const quantity = fc.oneof(
  { weight: 12, arbitrary: canonical as fc.Arbitrary<unknown> },
  { weight: 1, arbitrary: canonical.map((hex) => `0x00${hex.slice(2)}`) },
  { weight: 1, arbitrary: canonical.map((hex) => `0x${hex.slice(2).toUpperCase()}`) },
  { weight: 1, arbitrary: anything },
)
const address = fc.oneof(
  { weight: 9, arbitrary: anyCase(20) as fc.Arbitrary<unknown> },
  { weight: 1, arbitrary: anything },
)
const bytes = fc.oneof({ weight: 9, arbitrary: data as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: anything })
const unknownFields = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.dictionary(
      fc.oneof(hostile, fc.constantFrom("mint", "sourceHash", "~absent", "~~x", "l1Fee", "constructor")),
      anything,
      { maxKeys: 4 },
    ),
  },
)
const accessList = fc.oneof(
  fc.constant([]),
  fc.array(fc.record({ address: fixed(20), storageKeys: fc.array(fixed(32), { maxLength: 2 }) }), {
    maxLength: 2,
  }),
)
/** Each field is now and then left out. */
const holes = (keys: readonly string[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, { weight: 1, arbitrary: fc.subarray([...keys]) })

const log = (place: Json) =>
  fc
    .record({
      address: anyCase(20),
      topics: fc.array(anyCase(32), { maxLength: 4 }),
      data,
      logIndex: fc.nat(5000).map((n) => `0x${n.toString(16)}`),
      removed: fc.constantFrom<unknown>(false, false, false, true),
      blockTimestamp: fc.constantFrom<unknown>("0x65", "0x65", "0x066", null),
      unknown: unknownFields,
      without: holes(["removed", "blockTimestamp", "blockHash", "transactionIndex"]),
    })
    .map(({ unknown, without, ...fields }) =>
      leaveOut({ ...place, ...fields, ...unknownOf(unknown, fields) }, without),
    )

function leaveOut(fields: Json, without: readonly string[]): Json {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !without.includes(key)))
}
/** Unknown fields never shadow those that a block must have. */
const unknownOf = (unknown: Json, fields: Json): Json =>
  Object.fromEntries(Object.entries(unknown).filter(([key]) => !(key in fields) && key !== "__proto__"))

const pair = (index: number) =>
  fc
    .record({
      hash: anyCase(32),
      type: fc.constantFrom<unknown>(
        "0x0",
        "0x0",
        "0x1",
        "0x2",
        "0x2",
        "0x3",
        "0x4",
        "0x7e",
        "0x99",
        "0x02",
        undefined,
      ),
    })
    .chain(({ hash, type }) => {
      const place = {
        blockHash: "0xaa".padEnd(66, "0"),
        blockNumber: "0x7",
        transactionIndex: `0x${index.toString(16)}`,
      }
      const common = { from: address, to: fc.oneof(fc.constant<unknown>(null), address) }
      const tx = fc
        .record({
          ...common,
          nonce: quantity,
          value: quantity,
          gas: quantity,
          gasPrice: quantity,
          maxFeePerGas: quantity,
          maxPriorityFeePerGas: quantity,
          input: bytes,
          v: fc.oneof(fc.constantFrom<unknown>("0x0", "0x1", "0x1b", "0xa95"), quantity),
          r: quantity,
          s: quantity,
          yParity: fc.constantFrom<unknown>("0x0", "0x1"),
          chainId: fc.constantFrom<unknown>(chainId, chainId, "0x1", null),
          accessList,
          blobVersionedHashes: fc.array(fixed(32), { maxLength: 2 }),
          authorizationList: fc.array(fc.record({ chainId: quantity, nonce: quantity }), { maxLength: 2 }),
          unknown: unknownFields,
        })
        .chain(({ unknown, ...fields }) =>
          holes(Object.keys(fields)).map((without) => {
            const legacy = ["maxFeePerGas", "maxPriorityFeePerGas", "yParity", "accessList", "chainId"]
            const rare = ["blobVersionedHashes", "authorizationList"]
            const dropped = [
              ...without,
              ...(type === "0x0" ? legacy : []),
              ...(type === "0x3" || type === "0x4" ? [] : rare),
            ]
            const typed = type === undefined ? {} : { type }
            return leaveOut(
              { ...place, hash, ...typed, ...fields, ...unknownOf(unknown, { hash, ...fields }) },
              dropped,
            )
          }),
        )
      const receipt = fc
        .record({
          ...common,
          status: fc.constantFrom<unknown>("0x1", "0x1", "0x0", "0x01", null),
          gasUsed: quantity,
          cumulativeGasUsed: quantity,
          effectiveGasPrice: quantity,
          contractAddress: fc.oneof(fc.constant<unknown>(null), address),
          logsBloom: fc.constantFrom<unknown>(`0x${"0".repeat(512)}`, "0x", undefined),
          logs: fc.array(log({ ...place, transactionHash: hash }), { maxLength: 3 }),
          unknown: unknownFields,
          type: fc.constantFrom<unknown>(type ?? "0x0", "0x5"),
        })
        .chain(({ unknown, logs, ...fields }) =>
          holes(Object.keys(fields)).map((without) => ({
            ...leaveOut(
              { ...place, transactionHash: hash, ...fields, ...unknownOf(unknown, { logs, ...fields }) },
              without,
            ),
            logs,
          })),
        )
      return fc.tuple(tx, receipt)
    })

const header = fc
  .record({
    parentHash: anyCase(32),
    miner: address,
    gasLimit: quantity,
    gasUsed: quantity,
    baseFeePerGas: quantity,
    stateRoot: anyCase(32),
    transactionsRoot: anyCase(32),
    receiptsRoot: bytes,
    logsBloom: fc.constantFrom<unknown>(`0x${"0".repeat(512)}`, "0x00", null),
    extraData: bytes,
    uncles: fc.constant([]),
    size: quantity,
    timestamp: fc.constantFrom("0x65", "0x065"),
    unknown: unknownFields,
  })
  .map(({ unknown, ...fields }) => ({
    number: "0x7",
    hash: "0xaa".padEnd(66, "0"),
    ...fields,
    ...unknownOf(unknown, { hash: 0, number: 0, transactions: 0, ...fields }),
  }))

const sorted = (value: unknown): unknown => {
  if (value instanceof ExactNumber || typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  )
}
const canonicalText = (value: unknown) => stringifyExact(sorted(value))

test("rebuilding the JSON from the rows gives what the node sent, for all transaction types and hostile fields", () => {
  const block = fc.tuple(header, fc.tuple(pair(0), pair(1)))
  const reader = new BloomReader()
  fc.assert(
    fc.property(block, ([head, pairs]) => {
      // undefined stands for "not sent", as JSON has it.
      const drop = (value: Json) =>
        Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined))
      const text = stringifyExact({
        block: { ...head, transactions: pairs.map(([tx]) => drop(tx)) },
        receipts: pairs.map(([, receipt]) => drop(receipt)),
      })
      const parsed = JSON.parse(text) as Pick<FetchedBlock, "block" | "receipts">
      const fetched = pairReceipts({
        ...parsed,
        height: 7,
        bytes: text.length,
        provider: "test",
        exact: () => parseExactJson(text) as Pick<FetchedBlock, "block" | "receipts">,
      })
      const blooms = reader.read(fetched.receipts)
      expect(verifyBlock(fetched, blooms, noChecks)).toBeUndefined()
      const raw = decodeBlock(fetched, blooms, { chainId })
      const wanted = parseExactJson(text) as { block: Json & { transactions: Json[] }; receipts: Json[] }
      const { transactions, ...wantedHeader } = wanted.block
      expect(canonicalText(headerJson(raw))).toBe(canonicalText(wantedHeader))
      for (const [i, row] of raw.transactions.entries()) {
        expect(canonicalText(transactionJson(row, raw, { chainId }))).toBe(canonicalText(transactions[i]))
        const events = raw.events.filter((event) => event.transactionIndex === i)
        expect(canonicalText(receiptJson(row, events, raw))).toBe(canonicalText(wanted.receipts[i]))
        for (const amount of [row.nonce, row.value, row.gasLimit, row.gasUsed, row.gasPrice, row.maxFeePerGas]) {
          expect(amount === null || isQuantity(amount)).toBe(true)
        }
        expect(row.input === null || isHexBytes(row.input)).toBe(true)
        expect(row.from === null || isFixedHex(row.from, 20)).toBe(true)
        expect(row.signature === null || isHexBytes(row.signature)).toBe(true)
      }
      for (const event of raw.events) {
        expect(isFixedHex(event.address, 20) && event.topics.every((topic) => isFixedHex(topic, 32))).toBe(true)
      }
    }),
    { numRuns: 200 },
  )
})

test("exact JSON keeps every number's source text", () => {
  fc.assert(
    fc.property(fc.dictionary(hostile, anything), (value) => {
      const text = stringifyExact(value)
      expect(stringifyExact(parseExactJson(text))).toBe(text)
      expect(JSON.parse(text)).toEqual(JSON.parse(stringifyExact(parseExactJson(` ${text}\n`))))
    }),
  )
})
