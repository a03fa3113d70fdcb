// The entries of a batch's answer that refuse their call for now, while others may be answered: those calls alone are
// asked again. Only short entries are parsed, so a batch without refusals costs next to nothing.

import { answerId, bodyText, maxErrorBytes, type ReplyPart, readAnswer } from "./json-rpc-reply.js"
import { type RefusalKind, refusalKind } from "./refusals.js"

export interface RefusedEntry {
  /** Position of the call among all calls. */
  readonly call: number
  readonly kind: RefusalKind
  readonly message: string
}

export function refusedEntries({ body, asked, entries }: ReplyPart): RefusedEntry[] {
  const refused: RefusedEntry[] = []
  if (asked.length === 1) return refused
  const items = entries === undefined ? unsplit(body) : entries.flatMap(parseShort)
  for (const item of items) {
    const error = readAnswer(item)?.error
    const kind = error ? refusalKind(error) : undefined
    const call = asked[(answerId(item) ?? 0) - 1]
    if (error && kind !== undefined && call !== undefined) refused.push({ call, kind, message: error.message })
  }
  return refused
}

function parseShort(entry: Buffer): unknown[] {
  if (entry.length > maxErrorBytes || !entry.includes('"error"')) return []
  try {
    return [JSON.parse(bodyText(entry))]
  } catch {
    // Split in the wrong place: parsing the whole reply decides.
    return []
  }
}

/** An answer of another form is rare, and parsed only where it may have an error. */
function unsplit(body: Buffer): unknown[] {
  if (!body.includes('"error"')) return []
  try {
    const parsed: unknown = JSON.parse(bodyText(body))
    return Array.isArray(parsed) ? parsed : []
  } catch {
    // Whoever reads the reply says so.
    return []
  }
}
