// Processes that are stopped at random moments for longer than a lease lasts, and go on afterwards as if nothing had been.

import { seededRandom } from "../../test/support/seeded-random.js"
import { pause } from "../../test/support/wait-until.js"
import { LostRanges } from "./lost-ranges.js"
import { leaseMs, type Stage } from "./stage.js"

export interface StopsOptions {
  readonly processes: number
  readonly stops: number
  /** So many are stopped at a time; 1 unless given. */
  readonly together?: number
  readonly blocks: number
  readonly seed: number
  /** From one fault to when the next is due, and after the last until all is done. */
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
  const { processes, stops, together = 1, blocks, seed, timeoutMs } = options
  const random = seededRandom(seed)
  for (let i = 0; i < processes; i++) stage.start()
  // A range may be lost again and again; that it is done after the last time is what is waited for in the end.
  const lost = new LostRanges(stage, { timeoutMs: timeoutMs * (stops + 1) })
  for (let stop = 0; stop < stops; ) {
    const due = Math.floor((blocks * (stop + 1)) / (stops + 1))
    await stage.reach(due, { what: `${due} blocks done after ${stop} stops`, timeoutMs })
    await pause(random.next() * 200)
    const others = [...stage.members]
    const victims = Array.from({ length: Math.min(together, stops - stop) }, () => {
      const [victim] = others.splice(Math.floor(random.next() * others.length), 1)
      // The length of the stop is what is under test: the others must have taken over by its end.
      return { victim: victim!, stoppedMs: leaseMs * (1.5 + random.next() * 1.5) }
    })
    await Promise.all(
      victims.map(async ({ victim, stoppedMs }) => {
        victim.kill("SIGSTOP")
        await lost.note(victim)
        await pause(stoppedMs)
        victim.kill("SIGCONT")
      }),
    )
    stop += victims.length
  }
  await stage.finish(blocks + 1, timeoutMs)
  if (stage.members.length !== processes) throw new Error(`a process ended\n${stage.report()}`)
  const refusals = stage.members.flatMap(({ lines }) => lines).filter(({ code }) => code === "LEASE_LOST")
  return {
    stops,
    leasesLost: lost.count,
    refusals: refusals.length,
    recoveryMs: await lost.recoveryMs(),
  }
}
