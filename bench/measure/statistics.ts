// Summaries of repeated measurements.

export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new RangeError("no values")
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * q
  const low = sorted[Math.floor(at)]!
  return low + (sorted[Math.ceil(at)]! - low) * (at - Math.floor(at))
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)
