// A range of block heights, half-open [from, to) everywhere: in code, tables and on the wire.

export interface BlockRange {
  readonly from: number
  readonly to: number
}

export const rangesOverlap = (a: BlockRange, b: BlockRange): boolean => a.from < b.to && b.from < a.to

export const formatRange = (range: BlockRange): string => `[${range.from}, ${range.to})`
