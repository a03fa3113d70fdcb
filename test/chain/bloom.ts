// The 2,048-bit log filter of headers and receipts. Bits are computed once per value and kept by the caller.

import { keccak_256 } from "@noble/hashes/sha3"
import { bytesToHex, hexToBytes } from "./hex.js"

/** The three bits one address or topic sets. */
export type BloomBits = readonly [number, number, number]

export function bloomBits(hex: string): BloomBits {
  const hash = keccak_256(hexToBytes(hex))
  const bit = (at: number) => ((hash[at]! << 8) | hash[at + 1]!) & 2047
  return [bit(0), bit(2), bit(4)]
}

export function addToBloom(bloom: Uint8Array, bits: BloomBits): void {
  for (const bit of bits) bloom[255 - (bit >>> 3)]! |= 1 << (bit & 7)
}

export const emptyBloomHex = `0x${"00".repeat(256)}`

export function logsBloom(logs: readonly { readonly address: string; readonly topics: readonly string[] }[]): string {
  const bits = new Map<string, BloomBits>()
  const bloom = new Uint8Array(256)
  for (const item of logs.flatMap(({ address, topics }) => [address, ...topics])) {
    // A block names the same few contracts and signatures again and again.
    if (!bits.has(item)) bits.set(item, bloomBits(item))
    addToBloom(bloom, bits.get(item)!)
  }
  return bytesToHex(bloom)
}
