// The bloom filter of some logs: three bits for each address and topic.

import { addToBloom, type BloomBits, bloomBits } from "../../test/chain/bloom.js"
import type { Json } from "./read-node.js"

export function logsBloom(logs: readonly Json[]): string {
  const bits = new Map<string, BloomBits>()
  const bloom = Buffer.alloc(256)
  for (const { address, topics } of logs) {
    for (const item of [address as string, ...(topics as readonly string[])]) {
      // A block names the same few contracts and signatures again and again.
      if (!bits.has(item)) bits.set(item, bloomBits(item))
      addToBloom(bloom, bits.get(item)!)
    }
  }
  return `0x${bloom.toString("hex")}`
}
