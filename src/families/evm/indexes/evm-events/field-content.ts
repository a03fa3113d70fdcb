// Reads a field of a raw row without converting it to hex text: most payloads are only measured and copied.

import type { EncodedField } from "../../../../workers/encoded-field.js"

/** The length before the content; -1 means null. */
export const prefixBytes = 4

export const isNullField = (field: EncodedField): boolean => field.byteLength < prefixBytes || field.isNull

/** The bytes of a bytea field, as a view of the row; null when the column is null. */
export const fieldContent = (field: EncodedField): Uint8Array | null =>
  isNullField(field) ? null : field.bytes.subarray(prefixBytes)
