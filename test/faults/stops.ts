// Processes that are stopped at random moments for longer than a lease lasts, and go on afterwards as if nothing had been.

import { seededRandom } from "../support/seeded-random.js"
import { pause, waitUntil } from "../support/wait-until.js"
import { LostRanges } from "./lost-ranges.js"
import { leaseMs, type Stage } from "./stage.js"

export interface StopsOptions {
  readonly processes: number
  readonly stops: number
  readonly blocks: number
  readonly seed: number
  readonly timeoutMs: number
}

export interface StopsFacts {
  readonly stops: number
  /** Leases that the stopped processes held. */
  readonly leasesLost: number
  /** How often a process found that it had lost its lease. */
  readonly refusals: number
  /** From each stop to when the ranges it held up were done. */
  readonly recoveryMs: readonly number[]
}

export async function runWithStops(stage: Stage, options: StopsOptions): Promise<StopsFacts> {
  const { processes, stops, blocks, seed, timeoutMs } = options
  const random = seededRandom(seed)
  for (let i = 0; i < processes; i++) stage.start()
  const lost = new LostRanges(stage, { timeoutMs })
  for (let stop = 1; stop <= stops; stop++) {
    const due = Math.floor((blocks * stop) / (stops + 1))
    await waitUntil(async () => (await stage.probe.storedBlocks()) >= due, {
      what: `${due} blocks stored after ${stop - 1} stops`,
      timeoutMs,
      everyMs: 20,
    })
    await pause(random.next() * 200)
    const victim = stage.members[Math.floor(random.next() * stage.members.length)]!
    victim.kill("SIGSTOP")
    await lost.note(victim)
    // The length of the stop is what is under test: the others must have taken over by its end.
    await pause(leaseMs * (1.5 + random.next() * 1.5))
    victim.kill("SIGCONT")
  }
  await stage.complete(blocks + 1, timeoutMs)
  if (stage.members.length !== processes) throw new Error(`a process ended\n${stage.report()}`)
  const refusals = stage.members.flatMap(({ lines }) => lines).filter(({ code }) => code === "LEASE_LOST")
  return {
    stops,
    leasesLost: lost.count,
    refusals: refusals.length,
    recoveryMs: await lost.recoveryMs(),
  }
}
