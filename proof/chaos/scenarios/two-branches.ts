import assert from "node:assert/strict"
import { type Chain, createChain } from "../../../test/chain/synthetic-chain.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { patienceMs, waitUntil } from "../../../test/support/wait-until.js"
import { compareAll, times } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import type { Scenario } from "../scenario.js"
import type { Stage } from "../stage.js"

/** Few are enough for a look; it takes more to meet a race. */
const headOf = (rounds: number): number => (rounds === 1 ? 120 : 240)
/** The first block that the branches do not share. */
const forkAt = 60
const callsPerSecond = 100
/** Without a new block: longer than a refused range waits for its next try. */
const stillMs = 3_000

/**
 * Finality itself broken, as after an attack or with a node that was set up wrongly: half of the answers are of one branch, half of the other,
 * and both are called final. Whatever is stored fits together, nothing is taken back, and a person who says which blocks have to go ends it.
 */
export const twoBranches: Scenario = {
  name: "two-branches",
  fault: "a balancer over two nodes whose branches are both final, until one of them is taken out",
  count: { quick: 1, full: 50 },
  async run(scene) {
    const head = headOf(scene.count)
    const chain = createChain({ blocks: head, transactionsPerBlock: 2, logsPerBlock: 4, holders: 200 })
    const postgres = await scene.postgres()
    const refused = { seams: 0 }
    const healedMs: number[] = []
    let compared = ""
    for (let round = 0; round < scene.count; round++) {
      const seed = scene.seed * 1_000 + round
      const branches = [chain, chain.fork({ at: forkAt, seed })] as const
      const random = seededRandom(seed)
      const node = await scene.tamperingNode(() => ({ chain: branches[random.next() < 0.5 ? 0 : 1], head }))
      const stage = await scene.stage({
        ...{ postgres, rpcUrl: node.url, roles: "ingest,work" },
        // A range is one request, so all of it is of one branch: what does not fit are neighbours.
        env: { RANGE_SIZE: "3", RPC_BATCH_BLOCKS: "3", REORG_CONFIRM_MS: "5000", POLL_INTERVAL_MS: "100" },
      })
      for (let i = 0; i < 3; i++) stage.start()
      const seams = await untilStill(stage)
      assert.deepEqual(await stage.probe.brokenLinks(), [], "neighbours were stored that do not fit")
      assert.deepEqual(
        await stage.probe.rows("select from raw.rollbacks"),
        [],
        "final blocks were taken back without a person",
      )
      refused.seams += seams

      const left = branches[round % 2]!
      node.view = () => ({ chain: left, head })
      await takeBack(stage)
      const began = performance.now()
      await stage.finish(head + 1, healWithinMs({ blocks: head, callsPerSecond }))
      healedMs.push(performance.now() - began)
      compared = await compareBranch(stage, left)
      await stage.close()
      scene.say(`${round + 1} rounds, ${refused.seams} ranges refused, none stored beside one it does not fit`)
    }
    return {
      ...{ times: scene.count, compared: `${compared}, in each round`, recovery: times(healedMs) },
      facts: { ...refused },
    }

    async function compareBranch(stage: Stage, left: Chain): Promise<string> {
      const honest = await scene.tamperingNode(() => ({ chain: left, head }))
      const expected = (complaint: string): boolean => complaint.includes('"code":"REORG_HALTED"')
      return compareAll(stage, { against: { postgres, rpcUrl: honest.url }, head, expected })
    }
  },
}

/** Resolves when ranges were refused and nothing more is stored: what is left does not fit. Says how many ranges were refused. */
async function untilStill(stage: Stage): Promise<number> {
  let [stored, since] = [0, 0]
  return waitUntil(
    async () => {
      const [now, at] = [await stage.probe.storedBlocks(), performance.now()]
      if (now > stored) [stored, since] = [now, at]
      if (stored <= forkAt || at - since <= stillMs) return undefined
      return (await stage.probe.unfinished()).filter(({ code }) => code === "SEAM_MISMATCH").length || undefined
    },
    { what: "neighbours refused, and no more blocks stored", everyMs: 100 },
  )
}

async function takeBack(stage: Stage): Promise<void> {
  const command = stage.run(["rollback", "--to", String(forkAt - 1), "--yes"])
  const timer = setTimeout(() => command.kill("SIGKILL"), patienceMs)
  const code = await command.exit
  clearTimeout(timer)
  assert.equal(code, 0, command.errors.join("\n"))
}
