import fc from "fast-check"
import { expect, test } from "vitest"
import { DocumentError } from "./fetch-public.js"
import { itemMetadataOf } from "./item-metadata.js"

const shown = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$/u

test("whatever a document says, what is shown of it is bounded text of one line, and links that no browser runs", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 50 }),
    fc.constantFrom("\u202Eevil", "a\u0000b", "\uD800", "<script>alert(1)</script>", "x".repeat(40_000)),
    fc.constantFrom("javascript:alert(1)", "data:text/html,x", "https://example.org/a b", "https://example.org/ok"),
    fc.jsonValue(),
  )
  const document = fc.record(
    {
      ...{ name: hostile, description: hostile, image: hostile, image_url: hostile, external_url: hostile },
      attributes: fc.oneof(hostile, fc.array(fc.record({ trait_type: hostile, value: hostile }), { maxLength: 120 })),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(document, (json) => {
      const found = itemMetadataOf(JSON.stringify(json))
      const texts = [found.name, found.description, ...found.attributes.flatMap(({ trait, value }) => [trait, value])]
      for (const text of texts) {
        if (text === null) continue
        expect(text).toMatch(shown)
        expect([...text].length).toBeLessThanOrEqual(4_000)
      }
      for (const link of [found.image, found.external_url])
        expect(link ?? "https://a").toMatch(/^(https|ipfs|ar):\/\//)
      expect(found.attributes.length).toBeLessThanOrEqual(100)
    }),
    { numRuns: 40 },
  )
})

test("known fields are read, numbers too", () => {
  const attributes = [{ trait_type: "Level", value: 5 }, { value: "plain" }, { trait_type: "empty" }, null]
  const image_url = "ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG/1.png"
  expect(
    itemMetadataOf(JSON.stringify({ name: "One", image: "data:image/svg+xml,x", image_url, attributes })),
  ).toEqual({
    ...{ name: "One", description: null, image: image_url, external_url: null },
    attributes: [
      { trait: "Level", value: "5" },
      { trait: null, value: "plain" },
    ],
  })
})

test.each(["", "[]", "null", "1", "{", "<html>"])("%s is no document", (text) => {
  expect(() => itemMetadataOf(text)).toThrow(DocumentError)
})
