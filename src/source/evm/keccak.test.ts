import { keccak_256 } from "@noble/hashes/sha3"
import fc from "fast-check"
import { expect, test } from "vitest"
import { keccak256, keccakOfHex } from "./keccak.js"

test("keccak256 agrees with an independent implementation for every length around its block size", () => {
  for (let length = 0; length < 420; length++) {
    const bytes = new Uint8Array(length).map((_, i) => (i * 31 + length) & 255)
    expect(keccak256(bytes).toString("hex")).toBe(Buffer.from(keccak_256(bytes)).toString("hex"))
  }
})

test("hashing hex text is hashing its bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 135 }), (bytes) => {
      const hex = `0x${Buffer.from(bytes).toString("hex")}`
      expect(Buffer.from(keccakOfHex(hex).subarray(0, 32))).toEqual(keccak256(bytes))
    }),
  )
})
