// Runs one or more commands side by side until all have ended, and says what they took. A command that fails ends the
// benchmark: a number of a run that went wrong is worse than none.

import { spawn } from "node:child_process"
import { once } from "node:events"
import { onStop } from "../environment/stop-all.js"
import { autovacuumTimes, backendsMb, endedChildrenCpuS, machineCpuS, peakRssMb, serverCpuS } from "./process-times.js"

export interface Command {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface Measured {
  readonly wallS: number
  /** Of the commands, all together. */
  readonly cpuS: number
  readonly postgresCpuS: number
  /** The part of it that autovacuum took, as far as it was seen. */
  readonly autovacuumCpuS: number
  /** Of the rest of the machine, the chain server included: how quiet it was. */
  readonly otherCpuS: number
  /** Of the largest of the commands. */
  readonly peakRssMb: number
  /** Of Postgres' backends, without what they share: the most that one had, and that all had together. */
  readonly backendMb: number
  readonly backendsMb: number
}

const lookEveryMs = 20
const lookAtServerEveryMs = 500

/** Each command is run by the Node that runs this. */
export async function measureRun(
  commands: readonly Command[],
  { postgresPid }: { postgresPid: number },
): Promise<Measured> {
  const before = { cpu: endedChildrenCpuS(), postgres: serverCpuS(postgresPid), machine: machineCpuS() }
  const startedAt = performance.now()
  const backends = { largest: 0, all: 0 }
  const vacuumedBefore = autovacuumTimes(postgresPid)
  const vacuumed = new Map(vacuumedBefore)
  const lookAtServer = (): void => {
    for (const [pid, seconds] of autovacuumTimes(postgresPid)) vacuumed.set(pid, seconds)
    const now = backendsMb(postgresPid)
    backends.largest = Math.max(backends.largest, now.largest)
    backends.all = Math.max(backends.all, now.all)
  }
  const look = setInterval(lookAtServer, lookAtServerEveryMs)
  const peaks = await Promise.all(commands.map(runCommand)).finally(() => clearInterval(look))
  const wallS = (performance.now() - startedAt) / 1_000
  lookAtServer()
  const cpuS = endedChildrenCpuS() - before.cpu
  const postgresCpuS = serverCpuS(postgresPid) - before.postgres
  return {
    wallS,
    cpuS,
    postgresCpuS,
    autovacuumCpuS: [...vacuumed].reduce((sum, [pid, seconds]) => sum + seconds - (vacuumedBefore.get(pid) ?? 0), 0),
    otherCpuS: machineCpuS() - before.machine - cpuS - postgresCpuS,
    peakRssMb: Math.max(...peaks),
    backendMb: backends.largest,
    backendsMb: backends.all,
  }
}

/** Resolves with the most memory it had. */
async function runCommand({ args, env = {}, cwd }: Command): Promise<number> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const forget = onStop(async () => {
    child.kill("SIGKILL")
  })
  let tail = ""
  const keep = (text: string): void => {
    tail = (tail + text).slice(-4_096)
  }
  child.stdout.setEncoding("utf8").on("data", keep)
  child.stderr.setEncoding("utf8").on("data", keep)
  let peak = 0
  const look = setInterval(() => {
    peak = Math.max(peak, peakRssMb(child.pid!) ?? 0)
  }, lookEveryMs)
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null]
    if (code !== 0) throw new Error(`${args.join(" ")}\nended with ${code ?? signal}; its last words:\n${tail}`)
    return peak
  } finally {
    clearInterval(look)
    forget()
  }
}
