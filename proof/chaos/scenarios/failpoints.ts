// Processes that die at named statements, one after the other on one store: each finds what the one before it left behind, and
// gets no further than its own. The last one has nothing planned for it and heals all.

import { once } from "node:events"
import { createChain } from "../../../test/chain/synthetic-chain.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { patienceMs, pause } from "../../../test/support/wait-until.js"
import { compareAll, times } from "../compare.js"
import { dieAt, type Failpoint, failpoints, lastWordsAt } from "../failpoints.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"
import type { Scene } from "../scene.js"
import type { Stage } from "../stage.js"
import { hold } from "../stopped-process.js"

export const failpointKills: Scenario = {
  name: "failpoints",
  fault: `kill -9 at ${failpoints.length} named statements: claim, COPY, commit, fold, renewal, reaping, rollback, migration`,
  // In full each comes up: a statement that was reworded is met no more, and nobody else would notice.
  count: { quick: 8, full: 200 },
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

const everything = "ingest,work"
/** A process that only ingests starts in half the time. */
const rolesFor = ({ by, statement, within = statement }: Failpoint): string =>
  by === "blocks" && within.includes("raw.") ? "ingest" : everything

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
  let chain = createChain({ blocks: 5_000, transactionsPerBlock: 3, logsPerBlock: 5, holders: 200 })
  let head = 60 + random.below(60)
  const node = await scene.tamperingNode(() => ({ chain, head, finalized: head - 40 }))
  const postgres = await scene.postgres()
  const stage = await scene.stage(
    {
      ...{ postgres, rpcUrl: node.url, roles: everything, twoDatabases: (scene.seed + rounds) % 2 === 1 },
      env: {
        ...{ RANGE_SIZE: "10", RPC_BATCH_BLOCKS: "5", REORG_CONFIRM_MS: "50", POLL_INTERVAL_MS: "50" },
        // Only a killed process loses its lease, not a slow one.
        ...{ LEASE_TTL_MS: "6000", HEAD_LEASE_TTL_MS: "6000" },
      },
    },
    { shortLived: true },
  )
  let kills = 0
  let rollsBack = false
  for (const failpoint of choose(scene.seed, wanted)) {
    // Whoever died in a rollback left it to the next one, which may be all that is wanted here.
    if (failpoint.by === "reorganisation" && !(rollsBack && random.below(2) === 0)) {
      await settle(stage, head)
      chain = chain.fork({ at: head - random.below(20), seed: scene.seed * 100_000 + rounds * 100 + kills })
      head += 1 + random.below(3)
    }
    // Its lock needs a store.
    if (failpoint.by === "held work") await settle(stage, head)
    const more = (): number => {
      if (failpoint.by !== "reorganisation") head += 20
      return head
    }
    if (failpoint.by === "lost lease") {
      await dieOnce(stage, { failpoint: leavesLease, hit: 1, more, roles: everything })
      kills++
    }
    rollsBack = failpoint.by === "reorganisation"
    const hit = failpoint.by === "blocks" || failpoint.by === "held work" ? 1 + random.below(2) : 1
    await dieOnce(stage, { failpoint, hit, more, roles: scene.isQuick ? rolesFor(failpoint) : everything })
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

interface Death {
  readonly failpoint: Failpoint
  readonly hit: number
  readonly roles: string
  /** Makes new blocks, and says which is the last. */
  readonly more: () => number
}

async function dieOnce(stage: Stage, { failpoint, hit, roles, more }: Death): Promise<void> {
  // A lease that cannot be finished has to be renewed.
  const release = failpoint.by === "held work" ? await hold(stage, "in mid-COPY") : undefined
  const member = stage.start({ roles, env: dieAt(failpoint, { hit }) })
  // "exit" may come before the last of its output.
  const closed = once(member.child, "close")
  let last = more()
  const within = async (ms: number, isEnough: () => unknown): Promise<void> => {
    const began = performance.now()
    while (stage.members.includes(member) && !isEnough() && performance.now() - began < ms) {
      await Promise.race([member.exit, pause(100)])
      // A process with nothing left to do would not reach it.
      if ((await stage.probe.watermarkEnd().catch(() => 0)) > last) last = more()
    }
  }
  await within(patienceMs, () => member.lines.some(({ msg }) => msg.startsWith("running")))
  await within(patienceMs, () => false)
  const described = await stage.describe()
  member.kill("SIGKILL")
  await closed
  await release?.()
  if (!member.errors.includes(lastWordsAt(failpoint)))
    throw new Error(
      `no process reached the failpoint "${failpoint.name}" within ${patienceMs / 1_000} s\n${described}`,
    )
}

/** A process that lives puts everything right. Returns how long it took from its start. */
async function settle(stage: Stage, head: number): Promise<number> {
  const began = performance.now()
  const member = stage.start()
  await stage.finish(head + 1, healWithinMs({ blocks: head + 1 }))
  const healedMs = performance.now() - began
  await member.end("SIGKILL")
  return healedMs
}
