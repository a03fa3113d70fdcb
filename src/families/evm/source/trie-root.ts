// The root of the Merkle Patricia trie over a list, keyed by the RLP of each index: transactionsRoot and receiptsRoot.

import { keccak256 } from "./keccak.js"
import { encodeRlp, encodeRlpList } from "./rlp.js"

interface Entry {
  readonly nibbles: Uint8Array
  readonly value: Uint8Array
}

export function orderedTrieRoot(values: readonly Uint8Array[]): string {
  const entries = values.map((value, index): Entry => ({ nibbles: nibblesOf(encodeIndex(index)), value }))
  const node = entries.length === 0 ? encodeRlp(new Uint8Array(0)) : encodeNode(entries, 0)
  return `0x${keccak256(node).toString("hex")}`
}

function encodeIndex(index: number): Buffer {
  const hex = index.toString(16)
  return encodeRlp(index === 0 ? Buffer.alloc(0) : Buffer.from(hex.length % 2 === 1 ? `0${hex}` : hex, "hex"))
}

function nibblesOf(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(2 * bytes.length)
  for (let i = 0; i < bytes.length; i++) {
    out[2 * i] = bytes[i]! >> 4
    out[2 * i + 1] = bytes[i]! & 15
  }
  return out
}

/** Keys are encoded indexes, none of which is a prefix of another: no branch holds a value. */
function encodeNode(entries: readonly Entry[], depth: number): Buffer {
  const first = entries[0]!
  if (entries.length === 1) {
    return encodeRlp([compactPath(first.nibbles.subarray(depth), true), first.value])
  }
  let end = depth
  while (entries.every((entry) => entry.nibbles[end] === first.nibbles[end])) end++
  if (end > depth) {
    const path = encodeRlp(compactPath(first.nibbles.subarray(depth, end), false))
    return encodeRlpList([path, reference(encodeNode(entries, end))])
  }
  const children: Uint8Array[] = []
  for (let nibble = 0; nibble < 16; nibble++) {
    const below = entries.filter((entry) => entry.nibbles[depth] === nibble)
    children.push(below.length === 0 ? Buffer.from([0x80]) : reference(encodeNode(below, depth + 1)))
  }
  children.push(Buffer.from([0x80]))
  return encodeRlpList(children)
}

/** A short node is embedded in its parent; any other is referenced by its hash. */
const reference = (node: Buffer): Buffer => (node.length < 32 ? node : encodeRlp(keccak256(node)))

function compactPath(nibbles: Uint8Array, isLeaf: boolean): Buffer {
  const odd = nibbles.length % 2
  const out = Buffer.alloc(1 + (nibbles.length >> 1))
  out[0] = ((isLeaf ? 2 : 0) + odd) << 4
  if (odd === 1) out[0] |= nibbles[0]!
  for (let i = odd; i < nibbles.length; i += 2) out[1 + (i >> 1)] = (nibbles[i]! << 4) | nibbles[i + 1]!
  return out
}
