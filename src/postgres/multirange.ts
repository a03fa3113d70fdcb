// Parses and prints sets of heights as PostgreSQL's int8multirange text.

import type { BlockRange } from "../domain/block-range.js"
import { type RangeSet, rangeSet } from "../domain/range-set.js"
import { heightFrom } from "./postgres-error.js"

/** Represents an unbounded upper end: no height is above it. */
const endless = Number.MAX_SAFE_INTEGER

/** The server prints int8 ranges in one canonical form: [from,to), where either end may be omitted. */
const rangePattern = /^[[(](-?\d*),(-?\d*)\)$/

export function parseMultirange(text: string): RangeSet {
  if (!text.startsWith("{") || !text.endsWith("}")) throw notARange(text)
  const inner = text.slice(1, -1)
  if (inner === "") return []
  return rangeSet(inner.split(/(?<=\)),/).map(parseOne))
}

/** An int8range; undefined when it is empty. */
export function parseRange(text: string): BlockRange | undefined {
  return text === "empty" ? undefined : parseOne(text)
}

export const printMultirange = (set: RangeSet): string => `{${set.map(printRange).join(",")}}`

export const printRange = (range: BlockRange): string => `[${range.from},${range.to === endless ? "" : range.to})`

function parseOne(text: string): BlockRange {
  const match = rangePattern.exec(text)
  if (!match) throw notARange(text)
  const [, from, to] = match
  // Without a lower end the range starts at the lowest height.
  return { from: from === "" ? 0 : heightFrom(from!), to: to === "" ? endless : heightFrom(to!) }
}

const notARange = (text: string): RangeError => new RangeError(`not a range of heights: ${JSON.stringify(text)}`)
