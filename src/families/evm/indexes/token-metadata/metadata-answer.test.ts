import fc from "fast-check"
import { encodeAbiParameters, toBytes } from "viem"
import { describe, expect, test } from "vitest"
import { decimalsOf, textOf } from "./metadata-answer.js"

const abiString = (text: string) => toBytes(encodeAbiParameters([{ type: "string" }], [text]))
const uint = (value: bigint) => toBytes(encodeAbiParameters([{ type: "uint256" }], [value]))
const bytes32 = (text: string) => Buffer.concat([Buffer.from(text), Buffer.alloc(32)]).subarray(0, 32)

describe("what an answer means", () => {
  test("a string is read as the ABI says", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9]{1,200}$/), (text) => {
        expect(textOf(abiString(text))).toBe(text)
      }),
    )
  })

  test("old tokens answer with the text in one word", () => {
    expect(textOf(bytes32("Maker"))).toBe("Maker")
    expect(textOf(bytes32("a name of thirty-two characters!"))).toBe("a name of thirty-two characters!")
  })

  test("a string without its padding is still a string", () => {
    expect(textOf(abiString("MKR").subarray(0, 67))).toBe("MKR")
  })

  test("nothing to show is no text", () => {
    for (const answer of [abiString(""), abiString("\u0000\u202e"), bytes32(""), uint(7n), new Uint8Array()])
      expect(textOf(answer)).toBeNull()
  })

  test("an offset or length that leads out of the answer is no text", () => {
    const max = 2n ** 256n - 1n
    const words = (...values: bigint[]) => Buffer.concat(values.map((value) => uint(value)))
    for (const answer of [
      words(max, 3n, 0n),
      words(32n, max, 0n),
      words(32n, 33n, 0n),
      words(64n, 1n),
      words(2n ** 32n, 1n),
    ])
      expect(textOf(answer)).toBeNull()
  })

  test("decimals are a number from 0 to 255", () => {
    expect(decimalsOf(uint(0n))).toBe(0)
    expect(decimalsOf(uint(18n))).toBe(18)
    expect(decimalsOf(uint(255n))).toBe(255)
    for (const value of [256n, 2n ** 32n + 18n, 2n ** 64n, 2n ** 256n - 1n]) expect(decimalsOf(uint(value))).toBeNull()
    expect(decimalsOf(uint(18n).subarray(0, 31))).toBeNull()
  })

  test("no bytes at all make it throw", () => {
    const word = fc.oneof(
      fc.bigInt({ min: 0n, max: 130n }).map((value) => uint(value)),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
    )
    const answer = fc
      .tuple(fc.array(word, { maxLength: 6 }), fc.uint8Array({ maxLength: 40 }))
      .map(([words, rest]) => Buffer.concat([...words, rest]))
    fc.assert(
      fc.property(answer, (bytes) => {
        textOf(bytes)
        decimalsOf(bytes)
      }),
    )
  })
})
