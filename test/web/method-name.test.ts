// Lists name methods by a table of their own, since they are drawn before anything is decoded.

import { expect, test } from "vitest"
import { indexAbis } from "../../src/families/evm/decoding/index-abis.js"
import { standardAbis } from "../../src/families/evm/decoding/standard-abis.js"
import { methodName } from "../../web/src/transactions/method-name.js"

test("lists call the methods of standards as the server decodes them, and others by their selector", () => {
  const { calls } = indexAbis(standardAbis)
  expect(calls.size).toBeGreaterThan(50)
  const wrong = [...calls].filter(([selector, [first]]) => methodName(selector) !== first!.name)
  expect(wrong.map(([selector, [first]]) => `${selector} ${first!.signature}`)).toEqual([])
  expect(methodName("0xdeadbeef")).toBe("0xdeadbeef")
})
