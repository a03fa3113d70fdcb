// Reorganisations at random, on processes that are killed now and then: deep and shallow, one in the middle of another, to
// longer and to shorter chains, while history is filled below.

import type { Chain } from "../../bench/chain/synthetic-chain.js"
import { seededRandom } from "../../test/support/seeded-random.js"
import type { TamperingNode } from "../../test/support/tampering-node.js"
import { pause, waitUntil } from "../../test/support/wait-until.js"
import type { Stage } from "./stage.js"

export interface ReorgOptions {
  readonly node: TamperingNode
  readonly chain: Chain
  /** Blocks below this are final from the beginning. */
  readonly history: number
  readonly reorgs: number
  readonly processes: number
  /** One of the processes is killed and replaced after every so many. */
  readonly reorgsPerKill: number
  readonly seed: number
  /** How long history may still take after the last, by the blocks that are left. The tip itself has a minute, each time. */
  readonly finishWithinMs: (blocks: number) => number
  readonly say?: (text: string) => void
}

export interface ReorgFacts {
  readonly reorgs: number
  readonly deepest: number
  /** To a chain whose head was lower than what was stored. */
  readonly shorter: number
  /** Begun before the blocks of the one before were stored. */
  readonly nested: number
  readonly whileFilling: number
  readonly kills: number
  readonly rollbacks: number
  /** From the moment the node turned until its new head was stored, and until every worker had derived it. */
  readonly storedMs: readonly number[]
  readonly derivedMs: readonly number[]
  readonly head: number
}

const deep = 60
/** Once in so many, as deep as nobody has seen one; the chain has to grow for it first. */
const veryDeep = 256
const reorgsPerVeryDeep = 50
/** Finality follows the head at this distance at least. */
const finalBelowHead = 300

export async function runWithReorgs(stage: Stage, options: ReorgOptions): Promise<ReorgFacts> {
  const { node, history, reorgs, processes, reorgsPerKill, seed, finishWithinMs, say } = options
  const random = seededRandom(seed)
  const below = (n: number): number => Math.floor(random.next() * n)
  let { chain } = options
  let finalized = history
  let head = history + 80
  const turn = (): void => {
    finalized = Math.max(finalized, head - finalBelowHead)
    const view = { chain, head, finalized }
    node.view = () => view
  }
  turn()
  for (let i = 0; i < processes; i++) stage.start()
  await until("the first head", async () => (await stage.probe.hashAt(head)) === chain.hashAt(head))
  const counts = { shorter: 0, nested: 0, whileFilling: 0, kills: 0, deepest: 0 }
  const storedMs: number[] = []
  const derivedMs: number[] = []
  for (let reorg = 1; reorg <= reorgs; reorg++) {
    // Most are shallow, as on real chains.
    const usual = 1 + below(random.next() < 0.7 ? 6 : deep)
    const isVeryDeep = reorg % reorgsPerVeryDeep === 0
    if (isVeryDeep) await growTo(Math.max(head, finalized + veryDeep + 1))
    const depth = isVeryDeep ? veryDeep : usual
    const at = Math.max(finalized + 1, head - depth + 1)
    chain = chain.fork({ at, seed: seed * 1_000_000 + reorg })
    const isShorter = random.next() < 0.25 && at < head
    counts.deepest = Math.max(counts.deepest, head - at + 1)
    head = isShorter ? at + below(head - at) : head + below(4)
    turn()
    if (isShorter) counts.shorter++
    if ((await stage.probe.watermarkEnd()) <= history) counts.whileFilling++
    if (reorg % reorgsPerKill === 0) {
      await pause(random.next() * 500)
      const victim = stage.members[below(stage.members.length)]!
      victim.kill("SIGKILL")
      await victim.exit
      stage.start()
      counts.kills++
    }
    if (random.next() < 0.3 && reorg < reorgs) {
      counts.nested++
      await pause(random.next() * 400)
      continue
    }
    const began = performance.now()
    await until(`block ${head} of the branch at ${at}`, async () => {
      return (await stage.probe.hashAt(head)) === chain.hashAt(head)
    })
    storedMs.push(performance.now() - began)
    if (random.next() < 0.4) {
      await until(`block ${head} derived`, async () => (await stage.derived.missing(head)).length === 0)
      derivedMs.push(performance.now() - began)
    }
    if (reorg % 25 === 0) say?.(`${reorg} of ${reorgs} reorganisations, ${counts.kills} kills, head ${head}`)
  }
  await stage.finish(head + 1, finishWithinMs(head + 1 - (await stage.progress())))
  const [row] = await stage.probe.rows<{ n: number }>("select count(*)::int4 as n from raw.rollbacks")
  return { reorgs, ...counts, rollbacks: row!.n, storedMs, derivedMs, head }

  async function growTo(height: number): Promise<void> {
    head = height
    turn()
    await until(`block ${head}`, async () => (await stage.probe.hashAt(head)) === chain.hashAt(head))
  }

  async function until(what: string, done: () => Promise<boolean>): Promise<void> {
    try {
      await waitUntil(done, { what, timeoutMs: 60_000, everyMs: 20 })
    } catch (error) {
      throw new Error(await stage.describe(), { cause: error })
    }
  }
}
