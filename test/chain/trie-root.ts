// The root of the Merkle Patricia trie that maps rlp(index) to an item: transactionsRoot and receiptsRoot.

import { keccak_256 } from "@noble/hashes/sha3"
import { bytesToHex } from "./hex.js"
import { rlpBytes, rlpList } from "./rlp.js"

export const emptyTrieRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

interface Entry {
  readonly nibbles: readonly number[]
  readonly value: Uint8Array
}

export function orderedTrieRoot(items: readonly Uint8Array[]): string {
  if (items.length === 0) return emptyTrieRoot
  const entries = items.map((value, index) => ({ nibbles: nibblesOf(rlpBytes(indexBytes(index))), value }))
  return bytesToHex(keccak_256(node(entries, 0)))
}

function indexBytes(index: number): Buffer {
  if (index === 0) return Buffer.alloc(0)
  const digits = index.toString(16)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex")
}

const nibblesOf = (key: Uint8Array): number[] => [...key].flatMap((byte) => [byte >> 4, byte & 15])

/** The path with its flag nibble: bit 1 marks a leaf, bit 0 an odd number of nibbles. */
function compactPath(nibbles: readonly number[], leaf: boolean): Uint8Array {
  const odd = nibbles.length % 2
  const all = odd ? [(leaf ? 2 : 0) + 1, ...nibbles] : [leaf ? 2 : 0, 0, ...nibbles]
  const bytes = new Uint8Array(all.length / 2)
  for (let at = 0; at < bytes.length; at++) bytes[at] = (all[2 * at]! << 4) | all[2 * at + 1]!
  return rlpBytes(bytes)
}

/** A child of 32 bytes or more stands in its parent as a hash, a smaller one as itself. */
const reference = (encoded: Buffer): Uint8Array => (encoded.length < 32 ? encoded : rlpBytes(keccak_256(encoded)))

function node(entries: readonly Entry[], depth: number): Buffer {
  const first = entries[0]!
  if (entries.length === 1) {
    return rlpList([compactPath(first.nibbles.slice(depth), true), rlpBytes(first.value)])
  }
  const shared = sharedDepth(entries, depth)
  if (shared > depth) {
    return rlpList([compactPath(first.nibbles.slice(depth, shared), false), reference(node(entries, shared))])
  }
  const children: Uint8Array[] = []
  for (let nibble = 0; nibble < 16; nibble++) {
    const below = entries.filter((entry) => entry.nibbles[depth] === nibble)
    children.push(below.length === 0 ? Buffer.from([0x80]) : reference(node(below, depth + 1)))
  }
  // No key is a prefix of another here, so a branch never holds a value.
  return rlpList([...children, Buffer.from([0x80])])
}

function sharedDepth(entries: readonly Entry[], depth: number): number {
  const first = entries[0]!.nibbles
  let at = depth
  while (at < first.length && entries.every((entry) => entry.nibbles[at] === first[at])) at++
  return at
}
