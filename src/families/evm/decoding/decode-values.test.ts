import { describe, expect, test } from "vitest"
import { abiField } from "./abi-type.js"
import { decodeValues } from "./decode-values.js"

const word = (value: number | bigint) => BigInt(value).toString(16).padStart(64, "0")
const budget = () => ({ values: 1_000, bytes: 10_000 })
const decode = (type: string, ...words: string[]) =>
  decodeValues([abiField({ name: "a", type })], Buffer.from(words.join(""), "hex"), budget())
const same = [word(30), word(30 * 32).repeat(30)]
const last = [word(30), word(1).repeat(30)]
const max = "f".repeat(64)

describe("data that is not exactly of its type is not decoded:", () => {
  test.each<[string, string, readonly string[]]>([
    ["nothing", "uint256", []],
    ["half a word", "uint256", [word(1).slice(0, 32)]],
    ["an address with dirty upper bytes", "address", [max]],
    ["a bool that is 2", "bool", [word(2)]],
    ["a uint8 of 256", "uint8", [word(256)]],
    ["an int8 of 128", "int8", [word(128)]],
    ["bytes4 with more behind", "bytes4", [max]],
    ["an offset beyond the data", "bytes", [word(4_096)]],
    ["an offset that is no size", "bytes", [max]],
    ["a length beyond the data", "bytes", [word(32), word(33), word(1)]],
    ["a length that is no size", "bytes", [word(32), max, word(1)]],
    ["a text that is not UTF-8", "string", [word(32), word(2), `c328${"0".repeat(60)}`]],
    ["half a surrogate pair", "string", [word(32), word(3), `eda080${"0".repeat(58)}`]],
    ["an array of four billion", "uint256[]", [word(32), word(2 ** 32 - 1)]],
    ["an array of more than there is", "uint256[]", [word(32), word(2), word(1)]],
    ["a huge fixed array", "uint256[999999][999999]", [word(1)]],
    [
      "arrays of thirty times the same array, four deep",
      "uint8[][][][]",
      [word(32), ...same, ...same, ...same, ...last],
    ],
  ])("%s", (_name, type, words) => {
    expect(decode(type, ...words)).toBeUndefined()
  })

  test("more values than the budget", () => {
    const fields = [abiField({ name: "a", type: "uint256[]" })]
    const data = Buffer.from(word(32) + word(50) + word(1).repeat(50), "hex")
    expect(decodeValues(fields, data, { values: 51, bytes: 0 })![0]!.value).toHaveLength(50)
    expect(decodeValues(fields, data, { values: 50, bytes: 0 })).toBeUndefined()
  })

  test("more bytes than the budget, which answers share", () => {
    const fields = [abiField({ name: "a", type: "bytes" })]
    const data = Buffer.from(word(32) + word(20) + "ab".repeat(20), "hex")
    const shared = { values: 10, bytes: 45 }
    expect([1, 2, 3].map(() => decodeValues(fields, data, shared) !== undefined)).toEqual([true, true, false])
  })
})

test("what stands behind the values is passed over, and the last bytes need no padding", () => {
  expect(decode("uint8", word(7), max)).toEqual([{ name: "a", type: "uint8", value: "7" }])
  expect(decode("bytes", word(32), word(2), "abcd")).toEqual([{ name: "a", type: "bytes", value: "0xabcd" }])
})

test("control characters and marks stay in a text: who shows it makes it harmless", () => {
  const text = "\u0000\u202e<b>"
  const bytes = Buffer.from(text)
  expect(decode("string", word(32), word(bytes.length), bytes.toString("hex").padEnd(64, "0"))![0]!.value).toBe(text)
})

test("types are named as in signatures", () => {
  const components = [
    { name: "x", type: "uint" },
    { name: "y", type: "tuple[2]", components: [{ name: "", type: "int" }] },
  ]
  expect(abiField({ name: "a", type: "tuple[][3]", components }).text).toBe("(uint256,(int256)[2])[][3]")
})
