// Processes that are killed at random moments of their work, and replaced. The moments follow progress, so that all of them
// come before the work is done, however fast the machine is.

import { seededRandom } from "../../test/support/seeded-random.js"
import { pause } from "../../test/support/wait-until.js"
import { LostRanges } from "./lost-ranges.js"
import type { Stage } from "./stage.js"

export interface KillOptions {
  readonly processes: number
  readonly kills: number
  readonly blocks: number
  readonly seed: number
  /** From one fault to when the next is due, and after the last until all is done. */
  readonly timeoutMs: number
  /** A kill comes this long after its share of the blocks was done, at most. */
  readonly delayMs?: number
}

export interface KillFacts {
  readonly kills: number
  /** Leases held by the killed processes at the moment they died. */
  readonly leasesLost: number
  /** From each kill to when the ranges it left behind were done. */
  readonly recoveryMs: readonly number[]
}

export async function runWithKills(stage: Stage, options: KillOptions): Promise<KillFacts> {
  const { processes, kills, blocks, seed, timeoutMs, delayMs = 150 } = options
  const random = seededRandom(seed)
  for (let i = 0; i < processes; i++) stage.start()
  // A range may be lost again and again; that it is done after the last time is what is waited for in the end.
  const lost = new LostRanges(stage, { timeoutMs: timeoutMs * (kills + 1) })
  for (let kill = 1; kill <= kills; kill++) {
    const due = Math.floor((blocks * kill) / (kills + 1))
    await stage.reach(due, { what: `${due} blocks done after ${kill - 1} kills`, timeoutMs })
    await pause(random.next() * delayMs)
    const victim = stage.members[Math.floor(random.next() * stage.members.length)]!
    victim.kill("SIGKILL")
    await victim.exit
    await lost.note(victim)
    stage.start()
  }
  await stage.finish(blocks + 1, timeoutMs)
  return { kills, leasesLost: lost.count, recoveryMs: await lost.recoveryMs() }
}
