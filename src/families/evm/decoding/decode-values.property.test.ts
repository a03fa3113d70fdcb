// The decoder against viem's encoder, and against bytes that nobody encoded.

import fc from "fast-check"
import { type AbiParameter, encodeAbiParameters } from "viem"
import { expect, test } from "vitest"
import { abiField } from "./abi-type.js"
import { type DecodedValue, decodeValues } from "./decode-values.js"

interface Sample {
  readonly parameter: AbiParameter
  /** As viem takes it. */
  readonly given: unknown
  /** As it is decoded. */
  readonly json: unknown
}

const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString("hex")}`
const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const plain = <T>(type: string, values: fc.Arbitrary<T>, json: (value: T) => unknown, given = json) =>
  values.map((value): Sample => ({ parameter: { name: "a", type }, given: given(value), json: json(value) }))

const elementary: fc.Arbitrary<Sample> = fc.oneof(
  plain("address", bytesOf(20), hex),
  plain("bool", fc.boolean(), (value) => value),
  plain("string", fc.string({ unit: "grapheme", maxLength: 80 }), (value) => value),
  plain("bytes", fc.uint8Array({ maxLength: 80 }), hex),
  plain("bytes32", bytesOf(32), hex),
  plain("bytes4", bytesOf(4), hex),
  plain("uint256", fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), String, ((value: bigint) => value) as never),
  plain(
    "int128",
    fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }),
    String,
    ((value: bigint) => value) as never,
  ),
  plain("int8", fc.integer({ min: -128, max: 127 }), String, ((value: number) => value) as never),
)

const { value: samples } = fc.letrec<{ value: Sample; tuple: Sample; array: Sample }>((tie) => ({
  value: fc.oneof({ maxDepth: 3, depthSize: "small" }, elementary, tie("tuple"), tie("array")),
  tuple: fc.array(tie("value"), { minLength: 1, maxLength: 4 }).map((parts): Sample => {
    const components = parts.map(({ parameter }, at) => ({ ...parameter, name: `f${at}` }))
    return {
      parameter: { name: "a", type: "tuple", components },
      given: Object.fromEntries(parts.map(({ given }, at) => [`f${at}`, given])),
      json: parts.map(({ json }, at) => ({
        name: `f${at}`,
        type: abiField(components[at] as never).text,
        value: json,
      })),
    }
  }),
  // One value several times: all elements are of one type.
  array: fc
    .tuple(tie("value"), fc.integer({ min: 1, max: 3 }), fc.boolean())
    .map(([{ parameter, given, json }, count, isFixed]) => ({
      parameter: { ...parameter, type: `${parameter.type}${isFixed ? `[${count}]` : "[]"}` },
      given: Array.from({ length: count }, () => given),
      json: Array.from({ length: count }, () => json),
    })),
}))

const enough = () => ({ values: 100_000, bytes: 1 << 20 })

test("what viem encodes is decoded to the same values", () => {
  fc.assert(
    fc.property(fc.array(samples, { maxLength: 4 }), (parts) => {
      const parameters = parts.map(({ parameter }) => parameter)
      const data = encodeAbiParameters(
        parameters,
        parts.map(({ given }) => given),
      )
      const decoded = decodeValues(
        parameters.map((one) => abiField(one as never)),
        Buffer.from(data.slice(2), "hex"),
        enough(),
      )
      expect(decoded?.map(({ value }) => value)).toEqual(parts.map(({ json }) => json))
    }),
    { numRuns: 300 },
  )
})

test("any bytes are values within the budget, or none; nothing is thrown", () => {
  const words = fc.oneof(
    bytesOf(32),
    // Offsets and lengths that may fit.
    fc.integer({ min: 0, max: 20 }).map((count) => Buffer.from((count * 32).toString(16).padStart(64, "0"), "hex")),
    fc.integer({ min: 0, max: 40 }).map((count) => Buffer.from(count.toString(16).padStart(64, "0"), "hex")),
    fc.constant(Buffer.alloc(32, 0xff)),
  )
  const bytes = fc.tuple(fc.array(words, { maxLength: 40 }), fc.uint8Array({ maxLength: 31 }))
  fc.assert(
    fc.property(fc.array(samples, { minLength: 1, maxLength: 4 }), bytes, (parts, [whole, rest]) => {
      const fields = parts.map(({ parameter }) => abiField(parameter as never))
      const decoded = decodeValues(fields, Buffer.concat([...whole, rest]), { values: 500, bytes: 2_000 })
      if (decoded) expect(count(decoded)).toBeLessThanOrEqual(500)
    }),
    { numRuns: 500 },
  )
})

/** All values, at any depth. */
function count(value: unknown): number {
  if (!Array.isArray(value)) return 1
  const parts = value.map((one: unknown) => (isPart(one) ? one.value : one))
  return parts.reduce((sum: number, one) => sum + count(one), 0)
}
const isPart = (value: unknown): value is DecodedValue =>
  typeof value === "object" && value !== null && !Array.isArray(value)

test("a few bytes that point at one large value a thousand times are not unfolded", () => {
  // An array of 1,000 offsets, each to the same text of 30,000 bytes.
  const word = (value: number) => value.toString(16).padStart(64, "0")
  const offsets = word(1_000 * 32).repeat(1_000)
  const data = Buffer.from(word(32) + word(1_000) + offsets + word(30_000) + "61".repeat(30_016), "hex")
  const fields = [abiField({ name: "a", type: "string[]" })]
  expect(decodeValues(fields, data, { values: 10_000, bytes: 1 << 19 })).toBeUndefined()
  const unfolded = decodeValues(fields, data, { values: 10_000, bytes: 1 << 26 })
  expect(unfolded![0]!.value).toHaveLength(1_000)
})
