// Transactions that some chains list in a block but keep out of its roots, bloom and gas. They are stored as the
// others are; nothing in the header can prove them.

import type { BlockJson, TransactionJson } from "./block-json.js"
import { quantityValue, sameHex } from "./hex-text.js"
import { keccakText } from "./keccak.js"

/** Their positions; undefined when there are none. */
export type FindUnrooted = (block: BlockJson) => ReadonlySet<number> | undefined

/**
 * Polygon writes what it takes over from Ethereum as a last transaction without sender and gas. Its hash is that of
 * the block and a prefix.
 */
export const polygonStateSync: FindUnrooted = ({ transactions, number, hash }) => {
  const last = transactions.length - 1
  const height = quantityValue(number)
  if (last < 0 || !(height >= 0) || typeof hash !== "string") return undefined
  const place = Buffer.alloc(8)
  place.writeBigUInt64BE(BigInt(height))
  const key = Buffer.concat([Buffer.from("matic-bor-receipt-"), place, Buffer.from(hash.slice(2), "hex")])
  return sameHex(transactions[last]?.hash, keccakText(key)) ? new Set([last]) : undefined
}

/** HyperEVM's transfers from HyperCore: without a price, and with the sender in place of a signature. */
export const hyperliquidSystem: FindUnrooted = ({ transactions }) => {
  const found = new Set<number>()
  for (const [i, transaction] of transactions.entries()) if (isFromCore(transaction)) found.add(i)
  return found.size === 0 ? undefined : found
}

function isFromCore(transaction: TransactionJson | undefined): boolean {
  const { gasPrice, r, s, from } = transaction ?? {}
  if (typeof s !== "string" || typeof from !== "string") return false
  return gasPrice === "0x0" && r === "0x1" && s.length > 2 && sameHex(s.slice(2).padStart(40, "0"), from.slice(2))
}
