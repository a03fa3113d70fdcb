import { readFileSync } from "node:fs"

/** What a process has in memory now, or had at most. */
export function residentMb(pid: number, { peak = false } = {}): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const line = peak ? /VmHWM:\s+(\d+) kB/ : /VmRSS:\s+(\d+) kB/
  return Math.round(Number(line.exec(status)![1]) / 1_024)
}
