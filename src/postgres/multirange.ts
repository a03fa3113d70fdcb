// Sets of heights as PostgreSQL's int8multirange text, both ways.

import type { BlockRange } from "../domain/block-range.js"
import { type RangeSet, rangeSet } from "../domain/range-set.js"
import { heightFrom } from "./postgres-error.js"

/** What an unbounded upper end becomes: no height lies above it. */
const endless = Number.MAX_SAFE_INTEGER

/** int8 ranges have one canonical form, so the server never prints another than [from,to) with either end left out. */
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

export const printRange = (range: BlockRange): string =>
  `[${range.from},${range.to === endless ? "" : range.to})`

function parseOne(text: string): BlockRange {
  const match = rangePattern.exec(text)
  if (!match) throw notARange(text)
  const [, from, to] = match
  // No lower end means from the first height there can be.
  return { from: from === "" ? 0 : heightFrom(from!), to: to === "" ? endless : heightFrom(to!) }
}

const notARange = (text: string): RangeError =>
  new RangeError(`not a range of heights: ${JSON.stringify(text)}`)
