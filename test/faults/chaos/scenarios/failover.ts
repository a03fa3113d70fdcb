// The primary dies and its standby takes its place. With synchronous commits nothing that was answered is lost. Without, the last commits
// are: of raw alone or of app alone, while the other database remembers them, and in some rounds the chain takes another branch at the
// same time, so that what was lost does not come back.

import assert from "node:assert/strict"
import { type Chain, createChain } from "../../../../bench/chain/synthetic-chain.js"
import { seededRandom } from "../../../support/seeded-random.js"
import { startTamperingNode } from "../../../support/tampering-node.js"
import { waitUntil } from "../../../support/wait-until.js"
import type { Stage } from "../../stage.js"
import { compareAll, times } from "../compare.js"
import type { Scenario } from "../scenario.js"
import type { Scene } from "../scene.js"

const blocksPerFailover = 40
const resumeWithinMs = 90_000
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
  const below = (n: number): number => Math.floor(random.next() * n)
  const cluster = await scene.cluster({ synchronous: replicated === "both" })
  const plain = await scene.postgres()
  let chain: Chain = createChain({ blocks: 20_000, transactionsPerBlock: 3, logsPerBlock: 5, holders: 200 })
  let head = 40
  const node = await startTamperingNode(() => ({ chain, head, finalized: Math.max(0, head - 100) }))
  scene.ending(() => node.stop())
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
  await stage.finish(head + 1, 120_000)
  const done = () => (replicated === "raw" ? stage.probe.storedBlocks() : stage.progress())
  for (let failover = 1; failover <= count; failover++) {
    if (failover > 1) await cluster.makeStandby()
    if (replicated !== "both") {
      cluster.stallReplication()
      // All of this is lost by one side and known to the other.
      head += 1 + below(blocksPerFailover / 2)
      await stage.finish(head + 1, 120_000)
      totals.blocksLost += await done()
      if (failover % 2 === 1) {
        totals.branches++
        chain = chain.fork({ at: head - below(12), seed: scene.seed * 1_000 + failover })
      }
    }
    head += blocksPerFailover
    if (replicated === "both") await someProgress(stage, 60_000)
    totals.bytesLost += await cluster.failOver()
    const back = performance.now()
    if (replicated !== "both") totals.blocksLost -= await done()
    await someProgress(stage, resumeWithinMs)
    totals.resumedMs.push(performance.now() - back)
    totals.failovers++
    if (failover % 5 === 0) scene.say(`${failover} failovers of ${replicated}`)
  }
  await stage.finish(head + 1, 180_000)
  assert.equal(stage.members.length, processes, "a process ended")
  const wentBack = stage.members.flatMap(({ lines }) => lines).filter(({ msg }) => msg.includes("went back"))
  totals.noticed += wentBack.length
  totals.compared = await compareAll(stage, { against: { postgres: plain, rpcUrl: node.url }, head })
  await stage.close()
}

async function someProgress(stage: Stage, timeoutMs: number): Promise<void> {
  const look = () => stage.progress().then((done) => ({ done }))
  const { done } = await waitUntil(look, { what: "an answer", timeoutMs })
  await waitUntil(async () => (await stage.progress()) !== done, {
    ...{ what: "work going on", timeoutMs },
  }).catch(async (error) => {
    throw new Error(await stage.describe(), { cause: error })
  })
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
    "the primary of raw, or of app, dies and its standby lacks the last commits; half of the time the chain turns meanwhile",
  count: { quick: 2, full: 20 },
  async run(scene) {
    const totals = nothing()
    const half = Math.ceil(scene.count / 2)
    await failOver(scene, { replicated: "raw", count: half, totals })
    if (scene.count > half) await failOver(scene, { replicated: "app", count: scene.count - half, totals })
    assert.ok(totals.bytesLost > 0 && totals.noticed > 0, JSON.stringify(totals))
    return outcome(totals)
  },
}
