// Splits the answer to a batch into its entries without parsing it. Each is parsed alone when its block is read, so
// that only one block's objects are alive at a time. The split is a guess: parsing each entry confirms or refutes
// it.

/** The entries in the order of the answer; undefined when it does not have the usual form. */
export function splitBatch(body: Buffer, count: number): Buffer[] | undefined {
  if (body[0] !== openBracket || body[1] !== openBrace) return undefined
  const end = body.lastIndexOf("}]")
  const colon = body.indexOf(":")
  if (end < 0 || colon < 0 || colon > maxKeyLength) return undefined
  // Entries of one node begin with the same key, "jsonrpc" or "id". Other objects may too: then the count is wrong, or
  // an entry does not parse, and the answer is parsed as a whole.
  const separator = `},${body.toString("latin1", 1, colon + 1)}`
  const mark = separator.charCodeAt(markAt)
  const entries: Buffer[] = []
  let from = 1
  // The first letter of "jsonrpc" is rare elsewhere, so searching for it alone runs at the speed of memory.
  for (let at = body.indexOf(mark, markAt); at >= 0 && at < end; at = body.indexOf(mark, at + 1)) {
    const next = at - markAt
    if (next < from || body.toString("latin1", next, next + separator.length) !== separator) continue
    if (entries.length === count) return undefined
    entries.push(body.subarray(from, next + 1))
    from = next + 2
  }
  entries.push(body.subarray(from, end + 1))
  return entries.length === count ? entries : undefined
}

const openBracket = 0x5b
const openBrace = 0x7b
const maxKeyLength = 40
/** The position of the key's first letter in `},{"jsonrpc":`. */
const markAt = 4
