// A body of bytes that stands in a row while it is small. A larger one stays where the raw store has it: the row then
// holds its hash and the place, so that one transaction cannot make a derived table as large as the raw one.

import { createHash } from "node:crypto"
import type { EncodedField } from "../../../../workers/encoded-field.js"
import { fieldContent, prefixBytes } from "../evm-events/field-content.js"

const payloadInlineMaxBytes = 8192

/** SHA-256 of a body that is too large to stand in a row; null for one that is not. */
export function oversizedHash(body: EncodedField): Uint8Array | null {
  // Measured before a window is made: nearly all are small.
  if (body.byteLength <= prefixBytes + payloadInlineMaxBytes) return null
  const content = fieldContent(body)
  if (content === null) return null
  return createHash("sha256").update(content).digest()
}
