// Processes are killed at random moments of their work and replaced. The moments follow progress, so that all of them
// come before the work is done, however fast the machine is.

import assert from "node:assert/strict"
import { quantile } from "../../../bench/measure/statistics.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { patienceMs, pause } from "../../../test/support/wait-until.js"
import { compareAll, compareRaw, times } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import { LostRanges } from "../lost-ranges.js"
import type { Outcome, Scenario } from "../scenario.js"
import type { Scene } from "../scene.js"
import { slowWork } from "../slow-work.js"
import { leaseMs, reapMs } from "../stage.js"

const blocksPerKill = 100
const blocksPerQuickKill = 60
/** A lease, a round of the reaper, and the work. */
const goalMs = leaseMs + reapMs + 5_000

interface How {
  readonly roles: string
  readonly twoDatabases?: boolean
  readonly backfill?: "oldest" | "newest"
}

async function run(scene: Scene, { backfill = "oldest", ...options }: How): Promise<Outcome> {
  const { count: kills } = scene
  const blocks = scene.isQuick ? (kills + 1) * blocksPerQuickKill : kills * blocksPerKill
  const postgres = await scene.postgres()
  const { url: rpcUrl } = await scene.node({ blocks })
  const stage = await scene.stage({ postgres, rpcUrl, env: { ...slowWork, BACKFILL: backfill }, ...options })
  const random = seededRandom(scene.seed)
  for (let i = 0; i < (scene.isQuick ? 2 : 6); i++) stage.start()
  // Between two kills, and after the last, there is one share of the blocks to do.
  const timeoutMs =
    patienceMs +
    healWithinMs({
      ...{ blocks: blocks / (kills + 1), callsPerSecond: Number(slowWork.RPC_MAX_RPS) },
    })
  // A range may be lost again and again; that it is done after the last time is what is waited for in the end.
  const lost = new LostRanges(stage, { timeoutMs: timeoutMs * (kills + 1) })
  for (let kill = 1; kill <= kills; kill++) {
    const due = Math.floor((blocks * kill) / (kills + 1))
    await stage.reach(due, { what: `${due} blocks done after ${kill - 1} kills`, timeoutMs })
    await pause(random.next() * 500)
    const chosen = stage.members[Math.floor(random.next() * stage.members.length)]!
    // The first kill always interrupts work; the others may hit a process between two leases.
    const victim = kill === 1 ? await lost.stopAtWork() : chosen
    await victim.end("SIGKILL")
    if (kill > 1) await lost.note(victim)
    stage.start()
  }
  await stage.finish(blocks + 1, timeoutMs)
  assert.ok(lost.count > 0, "no kill interrupted work")
  const recoveryMs = await lost.recoveryMs()
  const derives = options.roles.includes("work")
  const compared = await (derives ? compareAll : compareRaw)(stage, {
    ...{ against: { postgres, rpcUrl }, head: blocks },
  })
  // A kill is no fault of a worker or of a block, not even one that is resolved.
  if (derives) assert.deepEqual(await stage.derived.errors(), [])
  return {
    ...{ times: kills, compared, recovery: times(recoveryMs) },
    facts: { blocks, kills, leasesLost: lost.count, "goal of recovery": againstGoal(recoveryMs) },
  }
}

/** Reported and not asserted: it depends on what else the machine has to do. */
function againstGoal(recoveryMs: readonly number[]): string {
  const isMet = quantile(recoveryMs, 0.99) <= goalMs
  return `p99 of ${goalMs / 1_000} s at most: ${isMet ? "met" : "missed"}`
}

const scenario = (name: string, fault: string, { byHand, ...how }: How & Pick<Scenario, "byHand">): Scenario => ({
  ...{ name, fault, count: { quick: 2, full: 200 }, ...(byHand && { byHand }) },
  run: (scene) => run(scene, how),
})

export const killScenarios: readonly Scenario[] = [
  scenario("kills", "kill -9 at random moments, processes that ingest", { roles: "ingest", byHand: true }),
  scenario("derived-kills", "kill -9 at random moments, processes that ingest and derive", {
    roles: "ingest,work",
  }),
  scenario("derived-kills-two-databases", "the same, raw and app in two databases", {
    ...{ roles: "ingest,work", twoDatabases: true, byHand: true },
  }),
  scenario("derived-kills-newest-first", "the same, one database, history from its newest block down", {
    ...{ roles: "ingest,work", backfill: "newest", byHand: true },
  }),
]
