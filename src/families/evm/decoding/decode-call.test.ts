import { encodeFunctionData, parseAbi, toFunctionSelector } from "viem"
import { describe, expect, test } from "vitest"
import { layersOf } from "./abi-layers.js"
import { decodeCall } from "./decode-call.js"
import { indexAbis } from "./index-abis.js"
import { standardAbis } from "./standard-abis.js"

const budget = () => ({ values: 1_000, bytes: 10_000 })
const stranger = { layers: layersOf({ own: [], any: [] }), standards: [] }
const to = `0x${"ab".repeat(20)}` as const
const transferFrom = encodeFunctionData({
  abi: parseAbi(["function transferFrom(address,address,uint256)"]),
  args: [to, to, 7n],
})
const given = (name: string) => [
  {
    type: "function",
    name: "transferFrom",
    inputs: [
      { name, type: "address" },
      { name: "b", type: "address" },
      { name: "c", type: "uint256" },
    ],
  },
]

describe("a call", () => {
  test("is guessed by its selector where nothing is known of the contract", () => {
    expect(decodeCall(transferFrom, stranger, budget())).toEqual({
      ...{ name: "transferFrom", signature: "transferFrom(address,address,uint256)" },
      args: [
        { name: "from", type: "address", value: to },
        { name: "to", type: "address", value: to },
        { name: "value", type: "uint256", value: "7" },
      ],
      abi: { source: "standard", name: "ERC-20", guessed: true },
    })
  })

  test("is of the standard that the contract is known to keep to", () => {
    expect(decodeCall(transferFrom, { ...stranger, standards: ["ERC-721"] }, budget())).toMatchObject({
      ...{ abi: { source: "standard", name: "ERC-721", guessed: false }, args: [{}, {}, { name: "tokenId" }] },
    })
  })

  test("is of the contract's own ABI first; one for any contract is a guess", () => {
    const own = [{ source: "config" as const, name: "Mine", entries: given("mine") }]
    const any = [{ source: "given" as const, name: "Common", entries: given("common") }]
    const standards = ["ERC-20"]
    expect(decodeCall(transferFrom, { layers: layersOf({ own, any }), standards }, budget())).toMatchObject({
      ...{ abi: { source: "config", name: "Mine", guessed: false }, args: [{ name: "mine" }, {}, {}] },
    })
    expect(decodeCall(transferFrom, { layers: layersOf({ own: [], any }), standards }, budget())).toMatchObject({
      ...{ abi: { source: "given", name: "Common", guessed: true }, args: [{ name: "common" }, {}, {}] },
    })
  })

  test.each([
    ["an unknown selector", "0x12345678"],
    ["no selector", "0x1234"],
    ["too few arguments", transferFrom.slice(0, -64)],
    ["an odd digit", `${transferFrom.slice(0, -65)}`],
    ["a dirty address", transferFrom.replace("000", "fff")],
  ])("with %s is not decoded", (_name, input) => {
    expect(decodeCall(input, stranger, budget())).toBeNull()
  })
})

test("tuples of a standard are decoded with their names", () => {
  const abi = parseAbi([
    "function aggregate3((address target, bool allowFailure, bytes callData)[] calls) returns (bytes[])",
  ])
  const input = encodeFunctionData({ abi, args: [[{ target: to, allowFailure: true, callData: "0x1234" }]] })
  expect(decodeCall(input, stranger, budget())).toMatchObject({
    signature: "aggregate3((address,bool,bytes)[])",
    args: [
      {
        name: "calls",
        value: [[{ name: "target", value: to }, { value: true }, { name: "callData", value: "0x1234" }]],
      },
    ],
  })
})

test("selectors are those of an independent implementation", () => {
  const { calls, events } = indexAbis(standardAbis)
  expect(calls.size + events.size).toBeGreaterThan(80)
  for (const [selector, [definition]] of calls)
    expect(toFunctionSelector(`function ${definition!.signature}`)).toBe(selector)
})
