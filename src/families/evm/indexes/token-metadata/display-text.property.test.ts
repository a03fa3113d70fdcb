import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { displayBytes, displayText, maxDisplayCharacters } from "./display-text.js"

const forbidden =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff]/
const hostilePieces = fc.constantFrom(
  "\u0000",
  "\u202e",
  "\u2066",
  "\u200d",
  "\ufeff",
  "\ud800",
  "\udc00",
  "\ufffd",
  "\u{e0041}",
  "\u{1f600}",
  "\r\n\t",
  " ",
  "\u00a0",
  "A",
  "<script>",
  "e\u0301",
)
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 600 }),
  fc.array(hostilePieces, { maxLength: 700 }).map((pieces) => pieces.join("")),
)

function expectFit(text: string): void {
  expect(text).not.toMatch(forbidden)
  expect(text).not.toMatch(/[\p{Cf}\p{Cs}]/u)
  expect([...text].length).toBeLessThanOrEqual(maxDisplayCharacters)
  expect(text).toBe(text.trim())
  expect(new TextDecoder("utf-8", { fatal: true }).decode(new TextEncoder().encode(text))).toBe(text)
}

describe("text for display", () => {
  test("whatever the text, it is one bounded line of valid characters", () => {
    fc.assert(fc.property(anyText, (text) => expectFit(displayText(text))))
  })

  test("making it fit twice changes nothing more", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = displayText(text)
        expect(displayText(once)).toBe(once)
      }),
    )
  })

  test("whatever the bytes, they give such a line", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => expectFit(displayBytes(bytes))))
  })

  test("ordinary names stay as they are", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9 .()$-]{0,80}[A-Za-z0-9])?$/), (name) => {
        expect(displayText(name)).toBe(name.replace(/ +/g, " "))
      }),
    )
    for (const name of ["Größe", "北京", "Токен", "🌊 Tide", "क्षि"]) expect(displayText(name)).toBe(name)
  })

  test("an invisible mark becomes a space, so that a name cannot pass for another", () => {
    expect(displayText("USD\u2066C")).toBe("USD C")
    expect(displayText("USD\u200bC")).toBe("USD C")
    expect(displayBytes(Buffer.from("5553ff44430a", "hex"))).toBe("US\ufffdDC")
  })

  test("a character of two code units is not cut in half", () => {
    expect([...displayText("🌊".repeat(400))].length).toBe(maxDisplayCharacters)
  })
})
