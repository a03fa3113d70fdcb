// The primary dies and its standby takes its place. With synchronous commits nothing that was answered is lost. Without, the last commits
// are: of raw alone or of app alone, while the other database remembers them. In some rounds the chain takes another branch, so that what
// raw lost does not come back, and what app lost is a rollback.

import assert from "node:assert/strict"
import { type Chain, createChain } from "../../../test/chain/synthetic-chain.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { compareAll, times } from "../compare.js"
import { goingOn } from "../going-on.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"
import type { Scene } from "../scene.js"

const blocksPerFailover = 40
const env = { RANGE_SIZE: "10", POLL_INTERVAL_MS: "100", REORG_CONFIRM_MS: "100" }

/** Which database is the one that fails over. */
type Replicated = "both" | "raw" | "app"

interface Totals {
  failovers: number
  bytesLost: number
  blocksLost: number
  branches: number
  noticed: number
  compared: string
  readonly resumedMs: number[]
}

async function failOver(
  scene: Scene,
  { replicated, count, totals }: { replicated: Replicated; count: number; totals: Totals },
): Promise<void> {
  const random = seededRandom(scene.seed * 10 + (replicated === "app" ? 1 : 0))
  const cluster = await scene.cluster({ synchronous: replicated === "both" })
  const plain = await scene.postgres()
  let chain: Chain = createChain({ blocks: 20_000, transactionsPerBlock: 3, logsPerBlock: 5, holders: 200 })
  let head = 40
  const node = await scene.tamperingNode(() => ({ chain, head, finalized: Math.max(0, head - 100) }))
  const stage = await scene.stage(
    {
      ...{ rpcUrl: node.url, roles: "ingest,work", env, twoDatabases: true },
      postgres: replicated === "app" ? plain : cluster,
      appPostgres: replicated === "raw" ? plain : cluster,
    },
    { losesCommits: replicated === "raw" },
  )
  const processes = scene.isQuick ? 1 : 2
  for (let i = 0; i < processes; i++) stage.start()
  await stage.finish(head + 1)
  // What came since the last failover, and what that lost.
  const finish = () => stage.finish(head + 1, healWithinMs({ blocks: 3 * blocksPerFailover }))
  const done = () => (replicated === "raw" ? stage.probe.storedBlocks() : stage.progress())
  const reorganise = (failover: number): void => {
    totals.branches++
    chain = chain.fork({ at: head - random.below(12), seed: scene.seed * 1_000 + failover })
  }
  for (let failover = 1; failover <= count; failover++) {
    if (failover > 1) await cluster.makeStandby()
    if (replicated !== "both") {
      cluster.stallReplication()
      const reorganises = failover % 2 === 1
      // All is done on the new branch before the failover: what app loses then is the rollback as well.
      if (reorganises && replicated === "app") reorganise(failover)
      // All of this is lost by one side and known to the other.
      head += 1 + random.below(blocksPerFailover / 2)
      await finish()
      totals.blocksLost += await done()
      if (reorganises && replicated === "raw") reorganise(failover)
    }
    head += blocksPerFailover
    if (replicated === "both") await goingOn(stage, { what: "work under way", all: head + 1 })
    totals.bytesLost += await cluster.failOver()
    if (replicated !== "both") totals.blocksLost -= await done()
    const what = `work going on after failover ${failover} of ${replicated}`
    totals.resumedMs.push(await goingOn(stage, { what, all: head + 1 }))
    totals.failovers++
    if (failover % 5 === 0) scene.say(`${failover} failovers of ${replicated}`)
  }
  await finish()
  assert.equal(stage.members.length, processes, "a process ended")
  const wentBack = stage.members
    .flatMap(({ lines }) => lines)
    .filter(({ msg }) => msg.includes(`the ${replicated} database went back`)).length
  totals.noticed += wentBack
  // Of each side: one that nobody looks at would be hidden behind the other.
  if (replicated !== "both") assert.ok(wentBack > 0, `nobody noticed that ${replicated} went back`)
  totals.compared = await compareAll(stage, { against: { postgres: plain, rpcUrl: node.url }, head })
  await stage.close()
}

function outcome({ failovers, compared, resumedMs, ...facts }: Totals) {
  return { times: failovers, compared, recovery: times(resumedMs), facts }
}

const nothing = (): Totals => ({
  ...{ failovers: 0, bytesLost: 0, blocksLost: 0, branches: 0, noticed: 0, compared: "", resumedMs: [] },
})

export const failoverSync: Scenario = {
  name: "failover-sync",
  fault: "the primary dies, its synchronous standby is promoted",
  count: { quick: 1, full: 20 },
  byHand: true,
  async run(scene) {
    const totals = nothing()
    await failOver(scene, { replicated: "both", count: scene.count, totals })
    assert.equal(totals.bytesLost, 0)
    return outcome(totals)
  },
}

export const failoverAsync: Scenario = {
  name: "failover-async",
  fault:
    "the primary of raw, or of app, dies and its standby lacks the last commits; half of the time the chain is reorganised meanwhile",
  count: { quick: 2, full: 20 },
  async run(scene) {
    const totals = nothing()
    const half = Math.ceil(scene.count / 2)
    await failOver(scene, { replicated: "raw", count: half, totals })
    if (scene.count > half) await failOver(scene, { replicated: "app", count: scene.count - half, totals })
    assert.ok(totals.bytesLost > 0, JSON.stringify(totals))
    return outcome(totals)
  },
}
