import { expect, test } from "vitest"
import { unstorableText } from "./storable-text.js"

test("text that Postgres cannot keep is found wherever it is", () => {
  expect(unstorableText({ reason: "maintenance 🌊", blocks: [{ height: "5" }] })).toBeUndefined()
  expect(unstorableText({ reason: "\0" })).toBe("body.reason")
  expect(unstorableText({ abi: [{}, { name: "x\ud800y" }] })).toBe("body.abi.1.name")
  expect(unstorableText({ abi: [{ "\0": 1 }] })).toBe("body.abi.0")
})
