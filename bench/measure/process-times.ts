// CPU and memory of processes as the Linux kernel counts them. CPU of ended children is taken from their parent's own
// counters, so that nothing is lost between the last look and the exit.

import { readdirSync, readFileSync } from "node:fs"

/** Fixed for user space on every Linux that Node runs on. */
const ticksPerSecond = 100

interface ProcessStat {
  readonly parent: number
  readonly ownTicks: number
  readonly endedChildrenTicks: number
}

function readStat(pid: number | "self"): ProcessStat | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, "latin1")
  } catch {
    return undefined // it ended
  }
  // The name in brackets may hold anything; what follows it is plain.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const field = (at: number): number => Number(fields[at])
  return {
    parent: field(1),
    ownTicks: field(11) + field(12),
    endedChildrenTicks: field(13) + field(14),
  }
}

/** CPU seconds of all children of this process that have ended, and of their own ended children. */
export const endedChildrenCpuS = (): number => readStat("self")!.endedChildrenTicks / ticksPerSecond

/** CPU seconds of a running process, its running children and all that have ended: a Postgres server with its backends. */
export function serverCpuS(pid: number): number {
  const server = readStat(pid)
  if (server === undefined) throw new Error(`there is no process ${pid}`)
  let ticks = server.ownTicks + server.endedChildrenTicks
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue
    const stat = readStat(Number(entry))
    if (stat?.parent === pid) ticks += stat.ownTicks
  }
  return ticks / ticksPerSecond
}

/** CPU seconds so far of a server's autovacuum workers that are running now, by process. */
export function autovacuumTimes(pid: number): ReadonlyMap<number, number> {
  const times = new Map<number, number>()
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue
    const stat = readStat(Number(entry))
    if (stat?.parent === pid && titleOf(Number(entry)).includes("autovacuum worker"))
      times.set(Number(entry), stat.ownTicks / ticksPerSecond)
  }
  return times
}

function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1")
  } catch {
    return "" // it ended
  }
}

/** CPU seconds all processors of the machine have spent on anything. */
export function machineCpuS(): number {
  const [, ...fields] = readFileSync("/proc/stat", "latin1").split("\n")[0]!.split(/\s+/)
  // user, nice, system, (idle, iowait,) irq, softirq
  const [user, nice, system, , , irq, softirq] = fields.map(Number)
  return (user! + nice! + system! + irq! + softirq!) / ticksPerSecond
}

/** Memory of a server's backends that is theirs alone, in MB of 10^6 bytes: that of the largest, and of all together. */
export function backendsMb(pid: number): { readonly largest: number; readonly all: number } {
  let largest = 0
  let all = 0
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry) || readStat(Number(entry))?.parent !== pid) continue
    const mb = privateMb(Number(entry))
    largest = Math.max(largest, mb)
    all += mb
  }
  return { largest, all }
}

function privateMb(pid: number): number {
  try {
    const found = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))
    return found ? (Number(found[1]) * 1024) / 1e6 : 0
  } catch {
    return 0 // it ended
  }
}

/** The most memory a process has had resident so far, in MB of 10^6 bytes; undefined when it has ended. */
export function peakRssMb(pid: number): number | undefined {
  try {
    const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))
    return found ? (Number(found[1]) * 1024) / 1e6 : undefined
  } catch {
    return undefined
  }
}

/** The memory that a process has resident now, in MB of 10^6 bytes. */
export function rssMb(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))
  return (Number(found![1]) * 1024) / 1e6
}
