import { expect, test } from "vitest"
import { transactionView } from "../../../../../test/support/block-view.js"
import { EncodedField } from "../../../../workers/encoded-field.js"
import { fieldContent, isNullField } from "./field-content.js"

test.each([
  ["no bytes are content, not null", "0x", []],
  ["bytes are without their length", "0x00ff", [0x00, 0xff]],
  ["null has no content", null, null],
])("%s", (_, input, content) => {
  const field = transactionView({ input }).field("input")
  expect(isNullField(field)).toBe(content === null)
  expect(fieldContent(field)).toEqual(content === null ? null : Buffer.from(content))
})

test("a field without even a length is null", () => {
  expect(fieldContent(new EncodedField(new Uint8Array(0)))).toBeNull()
})
