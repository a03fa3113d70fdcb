// Reorganisations at random, on processes that are killed now and then: deep and shallow, one in the middle of another, to
// longer and to shorter chains, while history is filled below.

import assert from "node:assert/strict"
import { type Chain, createChain } from "../../../test/chain/synthetic-chain.js"
import { seededRandom } from "../../../test/support/seeded-random.js"
import { pause } from "../../../test/support/wait-until.js"
import { compareAll, times } from "../compare.js"
import { healWithinMs } from "../heal-within.js"
import type { Outcome, Scenario } from "../scenario.js"
import type { Scene } from "../scene.js"

const deep = 60
/** Once in so many, as deep as nobody has seen one; the chain has to grow for it first. */
const veryDeep = 256
const reorgsPerVeryDeep = 50
/** Finality follows the head at this distance at least. */
const finalBelowHead = 300

/** One of the processes is killed and replaced after every so many. */
const reorgsPerKill = 20
const callsPerSecond = 100

async function run(scene: Scene, { twoDatabases }: { twoDatabases: boolean }): Promise<Outcome> {
  const { count: reorgs, seed } = scene
  const random = seededRandom(seed)
  // Long, and asked for slowly: many of the reorganisations come during the backfill.
  const history = scene.isQuick ? 300 : 30 * reorgs
  let chain: Chain = createChain({
    ...{ blocks: 100_000, transactionsPerBlock: 2, logsPerBlock: 6, holders: 500 },
    // Tokens change hands more than once a block.
    tokenIds: 1,
  })
  const node = await scene.tamperingNode(() => undefined)
  const postgres = await scene.postgres()
  const stage = await scene.stage({
    ...{ postgres, rpcUrl: node.url, roles: "ingest,work", twoDatabases },
    env: {
      ...{ RANGE_SIZE: "100", RPC_BATCH_BLOCKS: "10", REORG_CONFIRM_MS: "100", POLL_INTERVAL_MS: "50" },
      ...(scene.isQuick ? {} : { RPC_MAX_RPS: String(callsPerSecond) }),
    },
  })
  let finalized = history
  let head = history + 80
  const reorganise = (): void => {
    finalized = Math.max(finalized, head - finalBelowHead)
    const view = { chain, head, finalized }
    node.view = () => view
  }
  const until = (what: string, done: () => Promise<boolean>): Promise<boolean> =>
    stage.until(done, { what, everyMs: 20 })
  const untilStored = (what: string): Promise<boolean> =>
    until(what, async () => (await stage.probe.hashAt(head)) === chain.hashAt(head))
  reorganise()
  for (let i = 0; i < 2; i++) stage.start()
  await untilStored("the first head")
  const counts = { shorter: 0, nested: 0, whileFilling: 0, kills: 0, deepest: 0 }
  const storedMs: number[] = []
  const derivedMs: number[] = []
  for (let reorg = 1; reorg <= reorgs; reorg++) {
    // Most are shallow, as on real chains.
    const usual = 1 + random.below(random.next() < 0.7 ? 6 : deep)
    const isVeryDeep = reorg % reorgsPerVeryDeep === 0
    if (isVeryDeep) {
      head = Math.max(head, finalized + veryDeep + 1)
      reorganise()
      await untilStored(`block ${head}`)
    }
    const depth = isVeryDeep ? veryDeep : usual
    const at = Math.max(finalized + 1, head - depth + 1)
    chain = chain.fork({ at, seed: seed * 1_000_000 + reorg })
    const isShorter = random.next() < 0.25 && at < head
    counts.deepest = Math.max(counts.deepest, head - at + 1)
    head = isShorter ? at + random.below(head - at) : head + random.below(4)
    reorganise()
    if (isShorter) counts.shorter++
    if ((await stage.probe.watermarkEnd()) <= history) counts.whileFilling++
    if (reorg % reorgsPerKill === 0) {
      await pause(random.next() * 500)
      await stage.replace(stage.members[random.below(stage.members.length)]!)
      counts.kills++
    }
    if (random.next() < 0.3 && reorg < reorgs) {
      counts.nested++
      await pause(random.next() * 400)
      continue
    }
    const began = performance.now()
    await untilStored(`block ${head} of the branch at ${at}`)
    storedMs.push(performance.now() - began)
    if (random.next() < 0.4) {
      await until(`block ${head} derived`, async () => (await stage.derived.missing(head)).length === 0)
      derivedMs.push(performance.now() - began)
    }
    if (reorg % 25 === 0) scene.say(`${reorg} of ${reorgs} reorganisations, ${counts.kills} kills, head ${head}`)
  }
  const left = head + 1 - (await stage.progress())
  await stage.finish(head + 1, healWithinMs({ blocks: left, callsPerSecond }))
  if (!scene.isQuick) assert.ok(counts.whileFilling > reorgs / 50, JSON.stringify(counts))
  const rollbacks = await stage.rollbacks(storedMs.length)
  const compared = await compareAll(stage, { against: { postgres, rpcUrl: node.url }, head })
  const facts = { blocks: head, ...counts, rollbacks, derived: times(derivedMs) }
  return { times: reorgs, compared, recovery: `stored: ${times(storedMs)}`, facts }
}

const count = { quick: 5, full: 500 }

export const reorgs: Scenario = {
  name: "reorgs",
  fault: "reorganisations up to 256 deep, nested, to shorter chains, with kill -9 now and then",
  count,
  byHand: true,
  run: (scene) => run(scene, { twoDatabases: false }),
}

export const reorgsTwo: Scenario = {
  name: "reorgs-two",
  fault: "the same, raw and app in two databases",
  count,
  run: (scene) => run(scene, { twoDatabases: true }),
}
