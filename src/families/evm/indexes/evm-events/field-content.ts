// Looks into a field of a raw row without turning it into hex text: most payloads are only measured and passed on.

import type { EncodedField } from "../../../../workers/encoded-field.js"

/** The four bytes of length before the content; -1 stands for null. */
export const prefixBytes = 4

export const isNullField = (field: EncodedField): boolean => field.byteLength < prefixBytes || field.isNull

/** The bytes of a bytea field, as a window on the row; null where the column is. */
export const fieldContent = (field: EncodedField): Uint8Array | null =>
  isNullField(field) ? null : field.bytes.subarray(prefixBytes)
