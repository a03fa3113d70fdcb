import { keccak_256 } from "@noble/hashes/sha3"
import fc from "fast-check"
import { expect, test } from "vitest"
import { keccak256, keccakOfWords } from "./keccak.js"

test("keccak256 agrees with an independent implementation for every length around its block size", () => {
  for (let length = 0; length < 420; length++) {
    const bytes = new Uint8Array(length).map((_, i) => (i * 31 + length) & 255)
    expect(keccak256(bytes).toString("hex")).toBe(Buffer.from(keccak_256(bytes)).toString("hex"))
  }
})

test("hashing words is hashing their bytes", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 4, maxLength: 4 }), { maxLength: 33 }), (words) => {
      const bytes = Buffer.concat(words)
      const given = new Int32Array(new Uint8Array(bytes).buffer)
      expect(Buffer.from(keccakOfWords(given, words.length).subarray(0, 32))).toEqual(keccak256(bytes))
    }),
  )
})
