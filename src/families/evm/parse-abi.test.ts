import { describe, expect, test } from "vitest"
import { parseAbi } from "./parse-abi.js"

const transfer = {
  type: "event",
  name: "Transfer",
  inputs: [
    { name: "from", type: "address", indexed: true },
    { name: "value", type: "uint256", indexed: false },
  ],
}
const swap = {
  type: "function",
  name: "swap",
  stateMutability: "payable",
  inputs: [{ name: "path", type: "tuple[2][]", components: [{ name: "", type: "bytes32" }] }],
  outputs: [{ name: "", type: "int24" }],
}

describe("an ABI", () => {
  test("is kept as it is, but for what nothing reads", () => {
    expect(parseAbi([transfer, swap])).toEqual([transfer, swap])
    const noisy = { ...swap, payable: true, inputs: [{ ...swap.inputs[0], internalType: "struct <script>" }] }
    expect(parseAbi([noisy])).toEqual([swap])
    expect(parseAbi([{ type: "receive", stateMutability: "payable", name: "<b>" }])).toEqual([
      { type: "receive", stateMutability: "payable" },
    ])
  })

  test.each<[string, unknown]>([
    ["no array", {}],
    ["empty", []],
    ["too long", Array.from({ length: 2_001 }, () => transfer)],
    ["an entry that is no object", ["event Transfer()"]],
    ["an unknown type", [{ ...transfer, type: "script" }]],
    ["a hostile name", [{ ...transfer, name: "<img src=x>" }]],
    ["no name", [{ ...transfer, name: undefined }]],
    ["a hostile parameter", [{ ...transfer, inputs: [{ name: "a b", type: "bool" }] }]],
    ["uint7", [{ ...transfer, inputs: [{ name: "a", type: "uint7" }] }]],
    ["bytes33", [{ ...transfer, inputs: [{ name: "a", type: "bytes33" }] }]],
    ["an endless array type", [{ ...transfer, inputs: [{ name: "a", type: `bool${"[]".repeat(9)}` }] }]],
    ["a tuple without components", [{ ...transfer, inputs: [{ name: "a", type: "tuple" }] }]],
    ["a tuple of nothing", [{ ...transfer, inputs: [{ name: "a", type: "tuple[]", components: [] }] }]],
    ["an array of nothing", [{ ...transfer, inputs: [{ name: "a", type: "uint8[0][]" }] }]],
    ["too many parameters", [{ ...transfer, inputs: Array.from({ length: 65 }, () => transfer.inputs[0]) }]],
    ["another mutability", [{ ...swap, stateMutability: "maybe" }]],
  ])("that is wrong is refused: %s", (_name, value) => {
    expect(() => parseAbi(value)).toThrow(expect.objectContaining({ code: "USAGE" }))
  })

  test("that is nested too deep is refused", () => {
    let parameter: unknown = { name: "x", type: "bool" }
    for (let depth = 0; depth < 12; depth++) parameter = { name: "x", type: "tuple", components: [parameter] }
    expect(() => parseAbi([{ ...swap, inputs: [parameter] }])).toThrow("nested")
  })
})
