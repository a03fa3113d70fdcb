// Reorganisations of a real node: its own, at random depths, with the transactions that lost their place in other blocks of the new
// branch, dropped, or followed by new ones.

import assert from "node:assert/strict"
import { startAnvil, type TestAnvil } from "../../../test/fixtures/evm/start-anvil.js"
import { type SeededRandom, seededRandom } from "../../../test/support/seeded-random.js"
import { pause } from "../../../test/support/wait-until.js"
import { compareAll, times } from "../compare.js"
import type { Scenario } from "../scenario.js"

interface Block {
  readonly height: number
  readonly hash: string
  readonly transactions: readonly string[]
}

const firstBlocks = 40
const deepest = 30
/** The process is killed and replaced after every so many. */
const reorgsPerKill = 20

export const reorgsAnvil: Scenario = {
  name: "reorgs-anvil",
  fault: "a real node's own reorganisations, up to 30 deep, transactions included again elsewhere, empty blocks",
  count: { quick: 4, full: 200 },
  async run(scene) {
    const { count: reorgs } = scene
    const random = seededRandom(scene.seed)
    const anvil = await startAnvil({ args: ["--no-mining"] })
    scene.ending(() => anvil.stop())
    const postgres = await scene.postgres()
    const stage = await scene.stage({
      ...{ postgres, rpcUrl: anvil.url, roles: "ingest,work" },
      env: { REORG_CONFIRM_MS: "100", POLL_INTERVAL_MS: "50" },
    })
    await transact(anvil, firstBlocks)
    let member = stage.start()
    await stage.derivedTo(firstBlocks + 1)
    const counts = { deepest: 0, included: 0, empty: 0, kills: 0 }
    const storedMs: number[] = []
    for (let reorg = 1; reorg <= reorgs; reorg++) {
      const depth = 1 + random.below(random.next() < 0.7 ? 6 : deepest)
      const lost = await readBlocks(anvil, depth)
      const again = random.next() < 0.6 ? await placeAnew(anvil, lost, random) : []
      await anvil.rpc("anvil_reorg", depth, again)
      counts.deepest = Math.max(counts.deepest, depth)
      counts.included += again.length
      counts.empty += depth - new Set(again.map(([, place]) => place)).size
      // The same height with another hash is a reorganisation too, without any block on top.
      if (random.next() < 0.7) await transact(anvil, 1 + random.below(3))
      if (reorg % reorgsPerKill === 0) {
        await pause(random.next() * 500)
        member = await stage.replace(member)
        counts.kills++
      }
      if (random.next() < 0.3 && reorg < reorgs) continue
      const [head] = await readBlocks(anvil, 1)
      const began = performance.now()
      await stage.until(async () => (await stage.probe.hashAt(head!.height)) === head!.hash, {
        ...{ what: `block ${head!.height} of the branch ${depth} deep` },
      })
      storedMs.push(performance.now() - began)
      if (reorg % 25 === 0) scene.say(`${reorg} of ${reorgs} reorganisations, head ${head!.height}`)
    }
    const head = (await readBlocks(anvil, 1))[0]!.height
    await stage.finish(head + 1)
    const rollbacks = await stage.rollbacks(storedMs.length)
    assert.ok(Math.min(counts.included, counts.deepest) > 2, JSON.stringify(counts))
    const compared = await compareAll(stage, { against: { postgres, rpcUrl: anvil.url }, head })
    const facts = { blocks: head, ...counts, rollbacks }
    return { times: reorgs, compared, recovery: `stored: ${times(storedMs)}`, facts }
  },
}

/** The newest ones, lowest first. */
async function readBlocks(anvil: TestAnvil, count: number): Promise<Block[]> {
  const head = Number(await anvil.rpc("eth_blockNumber"))
  const blocks: Block[] = []
  for (let height = head - count + 1; height <= head; height++) {
    const block = (await anvil.rpc("eth_getBlockByNumber", `0x${height.toString(16)}`, false)) as Omit<Block, "height">
    blocks.push({ height, hash: block.hash, transactions: block.transactions })
  }
  return blocks
}

/** Some of the lost transactions, from the first on so that nonces fit, in their order, in blocks of the new branch chosen at random. */
async function placeAnew(
  anvil: TestAnvil,
  lost: readonly Block[],
  random: SeededRandom,
): Promise<(readonly [raw: unknown, place: number])[]> {
  const hashes = lost.flatMap(({ transactions }) => transactions)
  const kept = hashes.slice(0, 1 + random.below(hashes.length))
  const places = kept.map(() => random.below(lost.length)).sort((a, b) => a - b)
  return Promise.all(
    kept.map(async (hash, i) => [await anvil.rpc("eth_getRawTransactionByHash", hash), places[i]!] as const),
  )
}

const word = (value: string): string => value.replace("0x", "").padStart(64, "0")
const transferTopic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

/** Code that is run once, at its creation, and logs a token transfer. */
const transferring = ({ from, to, amount }: { from: string; to: string; amount: number }): string =>
  `0x7f${word(amount.toString(16))}600052${[to, from, transferTopic].map((topic) => `7f${word(topic)}`).join("")}60206000a360006000f3`

/** A block of its own for each. */
async function transact(anvil: TestAnvil, transactions: number): Promise<void> {
  const accounts = (await anvil.rpc("eth_accounts")) as string[]
  for (let i = 0; i < transactions; i++) {
    const [from, to] = [accounts[i % 3]!, accounts[(i + 1) % 3]!]
    const content =
      i % 2 === 0
        ? { data: transferring({ from, to, amount: 100 + i }) }
        : { to, value: `0x${(1_000 + i).toString(16)}` }
    await anvil.rpc("eth_sendTransaction", { from, gas: "0x30000", ...content })
    await anvil.rpc("evm_mine")
  }
}
