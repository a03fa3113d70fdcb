// Rows as CSV (RFC 4180). What a spreadsheet would take for a formula is inert: names come from contracts, and anybody may
// deploy one.

/** Exact, and no formula, though it may begin with a minus. */
const number = /^-?[0-9]+(\.[0-9]+)?$/
/** Also in the wide forms that some spreadsheets read alike. */
const formula = /^\s*[=+\-@＝＋－＠\t\r]/u
/** Without quotes, whatever separator a spreadsheet expects. */
const plain = /^[\w.:-]*$/

export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ""
  const text = String(value)
  if (number.test(text)) return text
  const inert = formula.test(text) ? `'${text}` : text
  return plain.test(inert) ? inert : `"${inert.replaceAll('"', '""')}"`
}

export const csvLine = (cells: readonly unknown[]): string => `${cells.map(csvCell).join(",")}\r\n`
