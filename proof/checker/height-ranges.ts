// Sets of heights as lists of half-open ranges, as the coverage tables store them.

export interface HeightRange {
  readonly from: number
  readonly to: number
}

export const everyHeight: readonly HeightRange[] = [{ from: 0, to: Number.MAX_SAFE_INTEGER }]

export function holds(ranges: readonly HeightRange[], height: number): boolean {
  for (const { from, to } of ranges) if (height >= from && height < to) return true
  return false
}

/** The text of an int8multirange, e.g. `{[0,10),[12,13)}`. */
export function parseMultirange(text: string): HeightRange[] {
  return [...text.matchAll(/\[(\d+),(\d+)\)/g)].map(([, from, to]) => ({
    from: Number(from),
    to: Number(to),
  }))
}

export function subtract(ranges: readonly HeightRange[], taken: readonly HeightRange[]): HeightRange[] {
  let left = [...ranges]
  for (const { from, to } of taken) {
    left = left.flatMap((range) => [
      { from: range.from, to: Math.min(range.to, from) },
      { from: Math.max(range.from, to), to: range.to },
    ])
    left = left.filter((range) => range.from < range.to)
  }
  return left
}
