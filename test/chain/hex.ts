// Hex text as JSON-RPC writes it.

export const quantity = (value: number | bigint): string => `0x${value.toString(16)}`

export const bytesToHex = (bytes: Uint8Array): string =>
  `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`

/** Of bytes ("0x0a0b") or of a quantity ("0xa0b"); "0x0" as a quantity has to be handled by the caller. */
export function hexToBytes(hex: string): Buffer {
  const digits = hex.slice(2)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex")
}

/** Digits without "0x", left-padded to one 32-byte word. */
export const word = (digits: string): string => digits.padStart(64, "0")
