// A range of block heights, half-open [from, to) everywhere: in code, tables and on the wire.

export interface BlockRange {
  readonly from: number
  readonly to: number
}

/** A range; throws when the ends are no safe integers or the range is empty. */
export function blockRange(from: number, to: number): BlockRange {
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0 || to <= from) {
    throw new RangeError(`not a block range: [${from}, ${to})`)
  }
  return { from, to }
}

export const rangeLength = (range: BlockRange): number => range.to - range.from

export const rangesOverlap = (a: BlockRange, b: BlockRange): boolean => a.from < b.to && b.from < a.to

export const formatRange = (range: BlockRange): string => `[${range.from}, ${range.to})`
