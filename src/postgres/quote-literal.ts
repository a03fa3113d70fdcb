// The only way a value gets into SQL text. Values are parameters wherever a statement allows it.

import pg from "pg"

/** Quoted text, safe for any value of standard_conforming_strings. */
export function quoteLiteral(text: string): string {
  if (text.includes("\0")) throw new RangeError("a literal contains a NUL")
  return pg.escapeLiteral(text).trimStart()
}
