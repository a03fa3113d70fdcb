// Recursive length prefix encoding, as far as headers, transactions, receipts and tries need it.

/** Bytes, or a list of items. */
export type RlpItem = Uint8Array | readonly RlpItem[]

export function encodeRlp(item: RlpItem): Buffer {
  if (item instanceof Uint8Array) {
    if (item.length === 1 && item[0]! < 0x80) return Buffer.from(item)
    return Buffer.concat([lengthPrefix(item.length, 0x80), item])
  }
  return encodeRlpList(item.map(encodeRlp))
}

/** A list of items that are encoded already. */
export function encodeRlpList(encoded: readonly Uint8Array[]): Buffer {
  let length = 0
  for (const part of encoded) length += part.length
  return Buffer.concat([lengthPrefix(length, 0xc0), ...encoded])
}

function lengthPrefix(length: number, base: number): Buffer {
  if (length < 56) return Buffer.from([base + length])
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest & 255)
  return Buffer.from([base + 55 + bytes.length, ...bytes])
}
