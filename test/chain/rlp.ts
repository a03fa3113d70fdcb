// Ethereum's RLP, encoding only.

import { hexToBytes } from "./hex.js"

function prefix(length: number, short: number): Buffer {
  if (length < 56) return Buffer.from([short + length])
  const digits = length.toString(16)
  const size = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex")
  return Buffer.concat([Buffer.from([short + 55 + size.length]), size])
}

export function rlpBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 1 && bytes[0]! < 0x80) return bytes
  return Buffer.concat([prefix(bytes.length, 0x80), bytes])
}

export const rlpHex = (hex: string): Uint8Array => rlpBytes(hexToBytes(hex))

/** A quantity has no leading zero, so zero is the empty string. */
export const rlpQuantity = (hex: string): Uint8Array => (hex === "0x0" ? Buffer.from([0x80]) : rlpHex(hex))

export function rlpList(items: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(items)
  return Buffer.concat([prefix(body.length, 0xc0), body])
}
