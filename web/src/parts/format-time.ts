// Times and durations in words.

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

export function formatAge(ms: number): string {
  if (ms < -second) return `in ${formatDuration(-ms)}`
  if (ms < 2 * second) return "just now"
  return `${formatDuration(ms)} ago`
}

/** The largest unit that fits, and the next where it says more. */
export function formatDuration(ms: number): string {
  if (ms < minute) return `${Math.max(0, Math.floor(ms / second))} s`
  if (ms < hour) return `${Math.floor(ms / minute)} min`
  if (ms < day) return `${Math.floor(ms / hour)} h${inner(ms % hour, minute, "min")}`
  if (ms < 30 * day) return `${Math.floor(ms / day)} d${inner(ms % day, hour, "h")}`
  if (ms < 365 * day) return `${Math.floor(ms / (30 * day))} months`
  const years = Math.floor(ms / (365 * day))
  return `${years} ${years === 1 ? "year" : "years"}`
}

const inner = (ms: number, unit: number, name: string): string => {
  const count = Math.floor(ms / unit)
  return count === 0 ? "" : ` ${count} ${name}`
}

/** `2026-11-18 18:15:11 UTC` */
export const formatUtc = (timestamp: string): string =>
  `${new Date(timestamp).toISOString().slice(0, 19).replace("T", " ")} UTC`
