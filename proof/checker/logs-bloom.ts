// The bloom filter of some logs: three bits for each address and topic.

import { keccak } from "./log-words.js"
import type { Json } from "./read-node.js"

export function logsBloom(logs: readonly Json[]): string {
  const bits = new Map<string, readonly number[]>()
  const bloom = Buffer.alloc(256)
  for (const { address, topics } of logs) {
    for (const item of [address as string, ...(topics as readonly string[])]) {
      // A block names the same few contracts and signatures again and again.
      if (!bits.has(item)) bits.set(item, bitsOf(item))
      for (const bit of bits.get(item)!) bloom[255 - (bit >> 3)]! |= 1 << (bit & 7)
    }
  }
  return `0x${bloom.toString("hex")}`
}

function bitsOf(item: string): number[] {
  const digest = keccak(Buffer.from(item.slice(2), "hex"))
  return [0, 4, 8].map((at) => Number.parseInt(digest.slice(at, at + 4), 16) & 2047)
}
