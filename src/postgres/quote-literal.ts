// The one way a value gets into SQL text; everything that can be a parameter is one instead.

import pg from "pg"

/** Text in quotes, safe whatever standard_conforming_strings says. */
export function quoteLiteral(text: string): string {
  if (text.includes("\0")) throw new RangeError("a literal has a NUL in it")
  return pg.escapeLiteral(text).trimStart()
}
