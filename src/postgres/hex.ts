// Writes hex text into a buffer. A character that is not a hex digit throws; it is never stored as another byte.

/** From here the native call is faster. Measured, loop against native: 32 bytes 140 to 400 ns, 64 bytes 290 to 250. */
const nativeFromBytes = 48
/** The native call makes a copy of two bytes a digit: 80 MB for the 20 MB that a transaction may carry. */
const nativeBytes = 1 << 16

/** The digit of each UTF-16 code unit; 0xff for others, so that or-ing all digits reveals a bad one at the end. */
export const nibbles = new Uint8Array(65_536).fill(0xff)
for (let digit = 0; digit < 16; digit++) {
  nibbles[digit.toString(16).charCodeAt(0)] = digit
  nibbles[digit.toString(16).toUpperCase().charCodeAt(0)] = digit
}

/** Writes the digits of `hex` after its "0x" at `offset`; the caller has made room for them. */
export function writeHex(target: Buffer, offset: number, hex: string): void {
  const length = (hex.length - 2) >> 1
  if (length >= nativeFromBytes) {
    // The native call stops at most bad characters, but uses the low byte of one beyond Latin-1.
    if (Buffer.byteLength(hex) !== hex.length) throw notHex(hex)
    for (let from = 0; from < length; from += nativeBytes) {
      const bytes = Math.min(nativeBytes, length - from)
      const digits = hex.slice(2 + 2 * from, 2 + 2 * (from + bytes))
      if (target.write(digits, offset + from, bytes, "hex") !== bytes) throw notHex(hex)
    }
    return
  }
  let seen = 0
  let at = offset
  for (let i = 2; i < hex.length; i += 2) {
    const high = nibbles[hex.charCodeAt(i)]!
    const low = nibbles[hex.charCodeAt(i + 1)]!
    seen |= high | low
    target[at++] = (high << 4) | low
  }
  if (seen > 15) throw notHex(hex)
}

/** The number of bytes in "0x…". */
export function hexByteLength(hex: string): number {
  if (hex.length % 2 !== 0 || hex.charCodeAt(0) !== 48 || hex.charCodeAt(1) !== 120) throw notHex(hex)
  return (hex.length - 2) >> 1
}

export const notHex = (hex: string): RangeError =>
  new RangeError(`not hex bytes: ${JSON.stringify(hex.length > 80 ? `${hex.slice(0, 80)}…` : hex)}`)
