// The only way an identifier gets into SQL text.

/** `name` quoted, or `schema.name` given as two parts, each quoted. */
export function quoteIdentifier(...parts: readonly string[]): string {
  return parts.map(quoteOne).join(".")
}

function quoteOne(name: string): string {
  if (name.length === 0 || name.includes("\0")) throw new RangeError("an identifier is empty or contains a NUL")
  return `"${name.replaceAll('"', '""')}"`
}

/** Quotes each part of a table name such as "raw.blocks". */
export const quoteTable = (table: string): string => quoteIdentifier(...table.split("."))
