import assert from "node:assert/strict"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { compareAll, times } from "../compare.js"
import { goingOn } from "../going-on.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"
import { holdAt, type TransactionMoment } from "../stopped-process.js"

const blocksPerCrash = 40
const moments: readonly TransactionMoment[] = [
  ...(["in mid-COPY", "after its last check", "while it claims", "in mid-derive", "in mid-fold"] as const),
]

export const postgresCrashes: Scenario = {
  name: "postgres-crashes",
  fault: "Postgres stopped at once (as pg_ctl -m immediate) in mid-COPY, commit, claim or fold, and started again",
  count: { quick: 1, full: 50 },
  async run(scene) {
    const { count, seed } = scene
    const random = seededRandom(seed)
    const blocks = count * blocksPerCrash
    const node = await scene.drivenNode({ blocks, startHead: 0 })
    const postgres = await scene.postgres()
    const stage = await scene.stage({
      ...{ postgres, rpcUrl: node.url, roles: "ingest,work" },
      env: { RANGE_SIZE: "10", POLL_INTERVAL_MS: "100" },
    })
    const processes = scene.isQuick ? 1 : 3
    for (let i = 0; i < processes; i++) stage.start()
    await stage.finish(1)
    const met: Record<string, number> = {}
    const resumedMs: number[] = []
    for (let crash = 1; crash <= count; crash++) {
      // In mid-COPY first: most of a range is written then.
      const moment = crash === 1 ? moments[0]! : moments[Math.floor(random.next() * moments.length)]!
      const head = crash * blocksPerCrash
      const release = await holdAt(stage, { moment, moveHead: () => node.setHead(head) })
      await postgres.stop("immediate")
      await release().catch(() => undefined)
      await postgres.start()
      met[moment] = (met[moment] ?? 0) + 1
      const what = `work going on after crash ${crash} ${moment}`
      resumedMs.push(await goingOn(stage, { what, all: head + 1 }))
      if (crash % 10 === 0) scene.say(`${crash} crashes`)
    }
    const left = blocks + 1 - (await stage.progress())
    await stage.finish(blocks + 1, healWithinMs({ blocks: left }))
    assert.equal(stage.members.length, processes, "a process ended")
    const compared = await compareAll(stage, { against: { postgres, rpcUrl: node.url }, head: blocks })
    return { times: count, compared, recovery: times(resumedMs), facts: { blocks, processes, ...met } }
  },
}
