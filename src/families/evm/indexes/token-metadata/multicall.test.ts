import fc from "fast-check"
import {
  bytesToHex,
  decodeFunctionData,
  encodeFunctionData,
  encodeFunctionResult,
  getAddress,
  hexToBytes,
  multicall3Abi,
} from "viem"
import { describe, expect, test } from "vitest"
import { decodeMulticall, encodeMulticall } from "./multicall.js"

const fixedHex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array) => bytesToHex(array))
const resultOf = (results: readonly { success: boolean; returnData: `0x${string}` }[]) =>
  hexToBytes(encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: results }))

describe("multicalls", () => {
  test("are encoded as viem does", () => {
    const question = fc.record({ contract: fixedHex(20), data: fixedHex(4) })
    fc.assert(
      fc.property(fc.array(question, { maxLength: 8 }), (questions) => {
        const calls = questions.map(({ contract, data }) => ({
          target: getAddress(contract),
          allowFailure: true,
          callData: data,
        }))
        const data = encodeMulticall(questions) as `0x${string}`
        expect(data).toBe(encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3", args: [calls] }))
        expect(decodeFunctionData({ abi: multicall3Abi, data }).args).toEqual([calls])
      }),
    )
  })

  test("results come back in order, null where a call failed", () => {
    const result = fc.record({
      success: fc.boolean(),
      returnData: fc.uint8Array({ maxLength: 100 }).map((array) => bytesToHex(array)),
    })
    fc.assert(
      fc.property(fc.array(result, { maxLength: 8 }), (results) => {
        const decoded = decodeMulticall(resultOf(results), results.length)
        expect(decoded?.map((bytes) => bytes && bytesToHex(bytes))).toEqual(
          results.map(({ success, returnData }) => (success ? returnData : null)),
        )
        expect(decodeMulticall(resultOf(results), results.length + 1)).toBeUndefined()
      }),
    )
  })

  test("a damaged reply is undefined or other bytes, never an error", () => {
    const whole = resultOf([
      { success: true, returnData: "0x1234" },
      { success: false, returnData: "0x" },
    ])
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, value, length) => {
        const damaged = Uint8Array.from(whole)
        damaged[at] = value
        decodeMulticall(damaged, 2)
        expect(decodeMulticall(whole.subarray(0, Math.min(length, whole.length - 65)), 2)).toBeUndefined()
      }),
    )
  })
})
