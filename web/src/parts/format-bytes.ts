// Sizes as people read them, in steps of a thousand, as `tidemark status` prints them.

const units = ["B", "kB", "MB", "GB", "TB", "PB"]

export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000
    unit++
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}
