// What a contract calls itself, made fit to be stored and shown: valid text of one line, of bounded length, without
// control characters or marks that turn the direction of writing. Total: any bytes give some text. The bytes
// themselves are kept elsewhere.

/** In code points, which is what the database counts. */
export const maxDisplayCharacters = 256

/**
 * A character takes four bytes at most, and a run that becomes one space may be long; what lies beyond cannot be
 * seen anyway.
 */
const maxDecodedBytes = 16_384

// Cf has the bidi marks, joiners and tags; the letters after it are blank but no white space: Hangul fillers,
// Braille blank.
const unfit =
  /[\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u{115f}\u{1160}\u{2800}\u{3164}\u{ffa0}]+/gu

/**
 * One line, trimmed. What is unfit becomes a space and not nothing: "USD", an invisible mark and "C" must not read
 * "USDC".
 */
export function displayText(text: string): string {
  const fit = text
    .replace(unfit, " ")
    .replace(/\ufffd+/g, "\ufffd")
    .trim()
  if (fit.length <= maxDisplayCharacters) return fit
  let end = 0
  for (let count = 0; count < maxDisplayCharacters && end < fit.length; count++)
    end += fit.codePointAt(end)! > 0xffff ? 2 : 1
  return fit.slice(0, end).trimEnd()
}

/** Bytes that are no UTF-8 show as U+FFFD. */
export const displayBytes = (bytes: Uint8Array): string =>
  displayText(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, maxDecodedBytes)))
