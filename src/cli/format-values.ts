// Heights, rates, sizes and times as people read them. Never wider than a column of the table.

export const formatHeight = (height: number | null): string =>
  height === null ? "–" : String(height).replace(/\B(?=(\d{3})+$)/g, ",")

export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return two(minutes, "min", seconds % 60, "s")
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? two(hours, "h", minutes % 60, "min") : two(Math.floor(hours / 24), "days", hours % 24, "h")
}

const two = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`

export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"]
  let value = bytes
  let unit = 0
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000
    unit++
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

export const formatCount = (value: number): string =>
  value >= 10 ? formatHeight(Math.round(value)) : String(Math.round(value * 10) / 10)

export const formatRate = (perSecond: number): string => `${formatCount(perSecond)} blocks/s`

/** Two digits, rounded down before: 100 is said of the whole only. */
export const formatPercent = (percent: number): string => (percent === 100 ? "100 %" : `${percent.toFixed(2)} %`)

/** Cut with an ellipsis. */
export const shorten = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`

/** Lines of at most this width, broken between words where there is a space. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ""
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line)
      line = ""
    }
    line = line === "" ? word : `${line} ${word}`
    while (line.length > width) {
      lines.push(line.slice(0, width))
      line = line.slice(width)
    }
  }
  return line === "" ? lines : [...lines, line]
}
