// The database dies like a machine that lost its power, stays away, and comes back.

import type { PrivatePostgres } from "../../test/support/private-postgres.js"
import { pause, waitUntil } from "../../test/support/wait-until.js"
import type { Stage } from "./stage.js"

export interface AwayOptions {
  readonly postgres: PrivatePostgres
  readonly processes: number
  readonly blocks: number
  readonly awayMs: number
  /** For a quarter of the blocks, and for the others once the server is back. */
  readonly timeoutMs: number
  /** Until the first block is done again. */
  readonly resumeWithinMs: number
}

export interface AwayFacts {
  readonly doneBefore: number
  /** From the server's return to the first block done again. */
  readonly resumedMs: number
  readonly processesEnded: number
  readonly highestAttempt: number
}

export async function runWithPostgresAway(stage: Stage, options: AwayOptions): Promise<AwayFacts> {
  const { postgres, processes, blocks, awayMs, timeoutMs, resumeWithinMs } = options
  for (let i = 0; i < processes; i++) stage.start()
  await waitUntil(async () => (await stage.progress()) >= blocks / 4, {
    what: "a quarter of the blocks done",
    timeoutMs,
  })
  await postgres.stop("immediate")
  // The length of the outage is what is under test here.
  await pause(awayMs)
  await postgres.start()
  const back = performance.now()
  const doneBefore = await waitUntil(() => stage.progress(), { what: "the server's answer" })
  await waitUntil(async () => (await stage.progress()) > doneBefore, {
    what: `work going on\n${stage.report()}`,
    timeoutMs: resumeWithinMs,
  })
  const resumedMs = Math.round(performance.now() - back)
  await stage.finish(blocks + 1, timeoutMs)
  const attempts = (await stage.probe.leases()).map(({ attempt }) => attempt)
  return {
    doneBefore,
    resumedMs,
    processesEnded: processes - stage.members.length,
    highestAttempt: Math.max(...attempts),
  }
}
