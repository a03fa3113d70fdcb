// Processes that are stopped at random moments for longer than a lease lasts, and then go on as if nothing had happened.

import assert from "node:assert/strict"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { patienceMs, pause } from "../../../test/support/wait-until.js"
import { compareAll, times } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import { LostRanges } from "../lost-ranges.js"
import type { Scenario } from "../scenario.js"
import { slowWork } from "../slow-work.js"
import { leaseMs } from "../stage.js"

const blocksPerStop = 150
/** A range takes about as long as a lease, so that most stops interrupt one. */
const env = { ...slowWork, RPC_MAX_RPS: "30" }

export const stops: Scenario = {
  name: "stops",
  fault: "SIGSTOP for 1.5 to 3 times the lease, then SIGCONT, processes that ingest and derive",
  count: { quick: 3, full: 200 },
  byHand: true,
  async run(scene) {
    const { count } = scene
    const blocks = Math.max(400, count * blocksPerStop)
    const [processes, together] = scene.isQuick ? [3, 1] : [6, 3]
    const postgres = await scene.postgres()
    const { url: rpcUrl } = await scene.node({ blocks })
    const stage = await scene.stage({ postgres, rpcUrl, roles: "ingest,work", env })
    const random = seededRandom(scene.seed)
    for (let i = 0; i < processes; i++) stage.start()
    // Between two rounds of stops, and after the last, there is one share of the blocks to do.
    const timeoutMs =
      patienceMs +
      healWithinMs({
        ...{ blocks: (blocks * together) / (count + 1), callsPerSecond: Number(env.RPC_MAX_RPS) },
      })
    // A range may be lost again and again; that it is done after the last time is what is waited for in the end.
    const lost = new LostRanges(stage, { timeoutMs: timeoutMs * (count + 1) })
    for (let stop = 0; stop < count; ) {
      const due = Math.floor((blocks * (stop + 1)) / (count + 1))
      await stage.reach(due, { what: `${due} blocks done after ${stop} stops`, timeoutMs })
      await pause(random.next() * 200)
      // The length of the stop is what is under test: the others must have taken over by its end.
      const stoppedMs = (): number => leaseMs * (1.5 + random.next() * 1.5)
      if (stop === 0) {
        // The first stop interrupts work, and lasts until another process has done that work.
        const victim = await lost.stopAtWork()
        await pause(stoppedMs())
        await lost.recoveryMs()
        victim.kill("SIGCONT")
        stop += 1
        continue
      }
      const others = [...stage.members]
      const victims = Array.from({ length: Math.min(together, count - stop) }, () => {
        const [victim] = others.splice(Math.floor(random.next() * others.length), 1)
        return { victim: victim!, stoppedMs: stoppedMs() }
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
    assert.equal(stage.members.length, processes, `a process ended\n${stage.report()}`)
    const refusals = () => stage.members.flatMap(({ lines }) => lines).filter(({ code }) => code === "LEASE_LOST")
    await stage.until(() => refusals().length > 0, { what: "a stopped process finds that its lease is lost" })
    const recoveryMs = await lost.recoveryMs()
    const compared = await compareAll(stage, { against: { postgres, rpcUrl }, head: blocks })
    const facts = { blocks, stops: count, leasesLost: lost.count, refusals: refusals().length }
    return { times: count, compared, recovery: times(recoveryMs), facts }
  },
}
