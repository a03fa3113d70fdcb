// Processes that die at named statements, one after the other on one store: each finds what the one before it left behind, and
// gets no further than its own. The last one has nothing planned for it and heals all.

import { createChain } from "../../../bench/chain/synthetic-chain.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { startTamperingNode } from "../../../test/support/tampering-node.js"
import { dieAt, type Failpoint, failpoints, lastWordsAt } from "../../faults/failpoints.js"
import type { Stage } from "../../faults/stage.js"
import { compareAll, times } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"
import type { Scene } from "../scene.js"

const dieWithinMs = 180_000

export const failpointKills: Scenario = {
  name: "failpoints",
  fault: `kill -9 at ${failpoints.length} named statements: claim, COPY, commit, fold, renewal, reaping, rollback, migration`,
  // Each once: a statement that was reworded is met no more, and nobody else would notice.
  count: { quick: failpoints.length, full: 200 },
  quickTest: "failpoints.test.ts",
  async run(scene) {
    const healedMs: number[] = []
    let kills = 0
    let compared = ""
    let rounds = 0
    for (; kills < scene.count; rounds++) {
      const round = await playRound(scene, { rounds, wanted: scene.count - kills })
      kills += round.kills
      compared = round.compared
      healedMs.push(round.healedMs)
      scene.say(`${kills} kills, healed after ${Math.round(round.healedMs)} ms`)
    }
    return {
      ...{ times: kills, compared: `${compared}, in each of ${rounds} rounds`, recovery: times(healedMs) },
      facts: { kills, failpoints: failpoints.length, rounds },
    }
  },
}

const leavesLease = failpoints.find(({ name }) => name === "claimed")!

/** All of them, or as many as are wanted, spread over the list and in its order. */
function choose(seed: number, wanted: number): readonly Failpoint[] {
  if (wanted >= failpoints.length) return failpoints
  const step = failpoints.length / wanted
  const chosen = Array.from({ length: wanted }, (_, i) => Math.floor(i * step + (seed % step)))
  return failpoints.filter((_, i) => chosen.includes(i))
}

async function playRound(scene: Scene, { rounds, wanted }: { rounds: number; wanted: number }) {
  const random = seededRandom(scene.seed * 1_000 + rounds)
  const below = (n: number): number => Math.floor(random.next() * n)
  let chain = createChain({ blocks: 5_000, transactionsPerBlock: 3, logsPerBlock: 5, holders: 200 })
  let head = 60 + below(60)
  const node = await startTamperingNode(() => ({ chain, head, finalized: head - 40 }))
  scene.ending(() => node.stop())
  const postgres = await scene.postgres()
  const stage = await scene.stage(
    {
      ...{ postgres, rpcUrl: node.url, roles: "ingest,work", twoDatabases: (scene.seed + rounds) % 2 === 1 },
      env: { RANGE_SIZE: "10", RPC_BATCH_BLOCKS: "5", REORG_CONFIRM_MS: "50", POLL_INTERVAL_MS: "50" },
    },
    { shortLived: true },
  )
  let kills = 0
  let rollsBack = false
  for (const failpoint of choose(scene.seed, wanted)) {
    if (failpoint.by === "blocks") head += 20
    // Whoever died in a rollback left it to the next one, which may be all that is wanted here.
    if (failpoint.by === "reorganisation" && !(rollsBack && below(2) === 0)) {
      await settle(stage, head)
      chain = chain.fork({ at: head - below(20), seed: scene.seed * 100_000 + rounds * 100 + kills })
      head += 1 + below(3)
    }
    if (failpoint.by === "lost lease") {
      await dieOnce(stage, leavesLease, 1)
      kills++
    }
    rollsBack = failpoint.by === "reorganisation"
    await dieOnce(stage, failpoint, failpoint.by === "blocks" ? 1 + below(2) : 1)
    kills++
  }
  const healedMs = await settle(stage, head)
  const compared = await compareAll(stage, {
    ...{ against: { postgres, rpcUrl: node.url }, head },
    expected: (complaint) => complaint.startsWith("failpoint "),
  })
  await stage.close()
  await postgres.remove()
  return { kills, healedMs, compared }
}

async function dieOnce(stage: Stage, failpoint: Failpoint, hit: number): Promise<void> {
  const member = stage.start({ env: dieAt(failpoint, { hit }) })
  const late = setTimeout(() => member.kill("SIGKILL"), dieWithinMs)
  await member.exit
  clearTimeout(late)
  if (!member.errors.includes(lastWordsAt(failpoint)))
    throw new Error(`nobody came by: ${failpoint.name}\n${await stage.describe()}`)
}

/** A process that lives puts everything right. Returns how long it took from its start. */
async function settle(stage: Stage, head: number): Promise<number> {
  const began = performance.now()
  const member = stage.start()
  await stage.finish(head + 1, healWithinMs({ blocks: head + 1 }))
  const healedMs = performance.now() - began
  member.kill("SIGKILL")
  await member.exit
  return healedMs
}
